/** Types of the parts of undici that undici.ts takes; they are those of the whole. */

declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}

declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";

  /** `Dispatcher.prototype.request`, which only the whole of undici puts there. */
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}
