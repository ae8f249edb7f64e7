/**
 * The stream `labels` (N1, N2): the names of projects, workspaces and API keys, whose ids stand in the records. It is offered if the source
 * has names beside its records; the interface has no operation for them. Nothing depends on a name, so no name is worth an error.
 */
import * as z from "zod";
import { KNOWN_NAMES, judgedName, KnownNames, MOST_NAMES, type NamedValue } from "../core/names.ts";
import { onOneLine } from "../core/lines.ts";
import { formatDay, formatInstant, parseInstant } from "../core/time.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import * as protocol from "../protocol.ts";
import type { Output } from "../protocol.ts";
import type { Outlet } from "./flow.ts";
import type { NameSource } from "./stream.ts";

const NAME = "labels";

/** The source of the names, as the state keeps it (S5). */
export interface NamesOwner {
  readonly base_url: string;
  readonly account: string | null;
}

export interface LabelsOptions {
  readonly names: NameSource;
  readonly owner: NamesOwner;
  /** The stream's state, not yet judged. */
  readonly stored: unknown;
  readonly outlet: Outlet<Output>;
  readonly clock: Clock;
  /** The provider's clock, in milliseconds since 1970. */
  readonly providerNow: () => number;
  readonly stop: AbortSignal;
  /** The least time between two STATEs, in milliseconds. The last STATE does not wait. */
  readonly stateInterval: number;
}

const stateSchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  account: z.string().nullable(),
  asked_on: z.string().nullable(),
  read_at: z.string(),
  names: z.string().regex(KNOWN_NAMES),
});

/**
 * Writes the names that are new or have changed, if the provider was not asked today.
 *
 * @returns whether the run may count as a success: false only if it was stopped
 */
export async function readLabels(options: LabelsOptions): Promise<boolean> {
  const { outlet, clock, stop } = options;
  const status = (text: protocol.StreamStatus): Promise<void> =>
    outlet.send(protocol.streamStatus(NAME, text, clock.now()));
  await status("STARTED");
  await status("RUNNING");
  const reading = new Reading(options);
  try {
    await reading.ask();
  } catch (reason) {
    if (!stop.aborted) await reading.say(ConnectorError.from(reason).message);
  }
  await reading.end();
  await status(stop.aborted ? "INCOMPLETE" : "COMPLETE");
  return !stop.aborted;
}

class Reading {
  readonly #options: LabelsOptions;
  readonly #known: KnownNames;
  #askedOn: string | null;
  /** The instant of the newest rows, in milliseconds since 1970. */
  #newest: number;
  #pending = 0;
  #lastState: string | null = null;
  #lastStateAt = 0;

  constructor(options: LabelsOptions) {
    this.#options = options;
    const { owner, stored } = options;
    const { data } = stateSchema.safeParse(stored);
    // A state of another source knows nothing of this one: all names are written.
    const isOwn = data?.base_url === owner.base_url && data.account === owner.account;
    this.#known = new KnownNames(isOwn ? data.names : "");
    this.#askedOn = isOwn ? data.asked_on : null;
    this.#newest = parseInstant(data?.read_at ?? "") ?? 0;
  }

  /** Asks for all names, at most once on a UTC day of the provider's clock. */
  async ask(): Promise<void> {
    const { names, providerNow, stop } = this.#options;
    const now = Math.floor(providerNow());
    if (this.#askedOn === formatDay(now)) return;
    // Later than each earlier row, also if the provider's clock was put back: of two rows the later one is valid.
    const readAt = Math.max(now, this.#newest + 1);
    const missing: string[] = [];
    for await (const page of names()) {
      stop.throwIfAborted();
      if (page.missing !== null) missing.push(page.missing);
      await this.#write(page.names, readAt);
    }
    if (this.#known.surplus > 0)
      missing.push(`${this.#known.surplus} values beyond the first ${MOST_NAMES}`);
    if (missing.length === 0) this.#known.settle();
    else await this.say(`the provider shows no names of ${missing.join(", of ")}.`);
    this.#askedOn = formatDay(now);
  }

  /** Writes the line of the log that says what is missing. */
  async say(what: string): Promise<void> {
    const rest = "Ids stand in place of names that are not known; nothing else depends on them.";
    await this.#options.outlet.send(protocol.log("WARN", `${NAME}: ${what} ${rest}`));
  }

  /** Sends the last STATE: one that covers all rows, or the first one. */
  async end(): Promise<void> {
    if (this.#lastState !== JSON.stringify(this.#state())) await this.#sendState();
  }

  async #write(page: readonly NamedValue[], readAt: number): Promise<void> {
    const { outlet, clock, stateInterval } = this.#options;
    const changed = page.flatMap((named) => {
      const judged = judgedName(named);
      return judged !== undefined && this.#known.take(judged) ? [judged] : [];
    });
    if (changed.length === 0) return;
    this.#newest = readAt;
    const lines = changed.map(({ label, value, name, isArchived }) => {
      const id = `${label}:${value}`;
      const data = {
        id,
        label,
        value,
        name,
        is_archived: isArchived,
        read_at: formatInstant(readAt),
      };
      const record = { stream: NAME, data, emitted_at: clock.now() };
      return `${onOneLine(JSON.stringify({ type: "RECORD", record }))}\n`;
    });
    const { length: count } = changed;
    this.#pending += count;
    const bytes = Buffer.from(lines.join(""));
    await outlet.send({ type: "RECORD_LINES", stream: NAME, bytes, count });
    if (this.#lastState === null || clock.now() - this.#lastStateAt >= stateInterval)
      await this.#sendState();
  }

  #state(): protocol.JsonObject {
    return {
      version: 1,
      ...this.#options.owner,
      asked_on: this.#askedOn,
      read_at: formatInstant(this.#newest),
      names: this.#known.text,
    };
  }

  async #sendState(): Promise<void> {
    const state = this.#state();
    this.#lastState = JSON.stringify(state);
    this.#lastStateAt = this.#options.clock.now();
    const recordCount = this.#pending;
    this.#pending = 0;
    await this.#options.outlet.send(protocol.state(NAME, state, recordCount));
  }
}
