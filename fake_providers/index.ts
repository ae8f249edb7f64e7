import { createAnthropic } from "./anthropic.ts";
import type { FakeOptions } from "./fake.ts";
import { Fake } from "./fake.ts";
import { createOpenAi } from "./openai.ts";
import { createOpenRouter } from "./openrouter.ts";

export type { Fake, FakeOptions } from "./fake.ts";
export { serve } from "./server.ts";

/** The fakes that there are, by the name that `--as` takes. */
const APIS = { anthropic: createAnthropic, openai: createOpenAi, openrouter: createOpenRouter };

export type FakeName = keyof typeof APIS;

/** Whether there is a fake of that name. */
export function isFakeName(name: string): name is FakeName {
  return Object.hasOwn(APIS, name);
}

/** A fake of a provider's API in this process; see {@link serve} for one that serves HTTP. */
export function createFake(name: FakeName, options: FakeOptions): Fake {
  return new Fake(APIS[name](options), options);
}
