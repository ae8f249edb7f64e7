/**
 * A provider of the interface, written only from docs/interface.md and design section 6. It answers requests at an
 * instant of virtual time. The seed decides what the interface leaves open.
 */
import { dayOf, DAY, iso, MINUTE } from "./calendar.ts";
import {
  firstFrom,
  insert,
  keyOf,
  lastChange,
  type Selection,
  selects,
  sorted,
} from "./listing.ts";
import { type Members, textOf } from "./members.ts";
import { dueOf, isHidden, type Outage, type Span, type Strike } from "./outages.ts";
import { chanceOf } from "./random.ts";
import { viewAt, type Views } from "./views.ts";
import {
  type Granularity,
  type Life,
  type StreamName,
  type Version,
  versionsByText,
  visible,
} from "./records.ts";

/** The rule for `available_through`. */
export interface Frontier {
  /** `ahead` is a mistake of the provider: a month in the future. */
  readonly kind: "honest" | "ahead";
  /** Ranges of time in which it does not move. */
  readonly frozen: readonly Span[];
  /** The largest step back, in milliseconds. */
  readonly regress: number;
  /** The largest difference between the values of two pages, in milliseconds. */
  readonly jitter: number;
  /** Whether it never exceeds the window's end. */
  readonly clipped: boolean;
  /** A fixed value, if a test sets one. */
  readonly said?: number | undefined;
}

/** The rules of a dataset. */
export interface Rules {
  readonly stream: StreamName;
  readonly granularity: Granularity;
  retentionDays: number;
  maximumWindowDays: number;
  /** From the capabilities; null if they do not say it. */
  readonly lag: number | null;
  /** `inclusive`: by start, but with the end included, which is a common mistake of providers. */
  selects: Selection;
  readonly outages: Outage[];
  readonly cursors: "snapshot" | "keyset" | "offset";
  /** The lifetime of a cursor, in milliseconds. */
  cursorLifetime: number;
  /** The start of a window whose cursors are all refused. */
  refusesCursorsOf?: number | undefined;
  readonly refusesFuture: boolean;
  readonly beforeRetention: "refuse" | "trim";
  frontier: Frontier;
  /**
   * `change`: `as_of` is the instant of the last change, and stands still until the next one. `day`: so it is from the start of the day
   * on. Null: it is the time of the answer.
   */
  readonly still: Still | null;
  /** The views that it shows; null if each listing shows the data of its moment. */
  views: Views | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The time after a record's period in which R1 alone finds its changes: the lag in whole days, at least one. */
export function lookbackOf(rules: Rules): number {
  return Math.max(1, Math.ceil((rules.lag ?? 0) / DAY)) * DAY;
}

/** A request and its response, for the checks. */
export type Still = "day" | "change";

export interface Exchange {
  readonly stream: StreamName;
  readonly at: number;
  /** The moment that the page shows. */
  readonly asOf: number;
  /** The instant in the header `Date`. */
  readonly date: number;
  readonly start: number;
  readonly end: number;
  readonly cursor: string | null;
  readonly status: number;
  readonly availableThrough: number;
  readonly nextCursor: string | null;
  readonly versions: readonly Version[];
  /** The reason of a refusal. */
  readonly refusal?: string | undefined;
}

interface Cursor {
  readonly query: string;
  readonly madeAt: number;
  readonly snapshot: number;
  readonly offset: number;
  readonly key: string;
  /** A cursor that was refused once is refused for ever. */
  isExpired: boolean;
}

export interface ProviderOptions {
  readonly salt: number;
  readonly datasets: readonly Rules[];
  readonly lives: Life[];
  readonly sendsDate: boolean;
  /** Whether the members of a record come in another order, or one of them differs, in each answer. Absent: neither. */
  readonly members?: Members;
  /** Whether some pages are short or empty (P2). */
  readonly whims: boolean;
}

export class Provider {
  readonly options: ProviderOptions;
  /** All exchanges since the list was last emptied. */
  exchanges: Exchange[] = [];
  /** Each text that was sent of a record, with the version that the text shows. */
  readonly texts: Map<string, Version>;
  /** The instant that the header `Date` names when the provider's time is `now`. */
  dateAt = (now: number): number => now;
  /** The dataset that the capabilities leave out at present. */
  absent: StreamName | null = null;
  /** The outages that begin during the present sync. */
  strikes: readonly Strike[] = [];
  /** Called after each page, with the instant that follows it. */
  onPage: (next: number) => void = () => undefined;
  readonly #cursors = new Map<string, Cursor>();
  /** The records of each stream in the order of every listing: by start, then by id. */
  readonly #lives: Readonly<Record<StreamName, Life[]>>;
  #served = 0;

  constructor(options: ProviderOptions) {
    this.options = options;
    this.texts = versionsByText(options.lives);
    const livesOf = (wanted: StreamName): Life[] =>
      sorted(options.lives.filter(({ stream }) => stream === wanted));
    this.#lives = { usage: livesOf("usage"), costs: livesOf("costs") };
  }

  /** Adds a record while the connector reads. */
  add(life: Life): void {
    this.options.lives.push(life);
    insert(this.#lives[life.stream], life);
  }

  rules(stream: StreamName): Rules | undefined {
    return this.options.datasets.find((rules) => rules.stream === stream);
  }

  /** Ends all cursors of a stream. A provider that changes the records of a window must do so: old cursors would skip records. */
  expireCursors(stream: StreamName): void {
    for (const cursor of this.#cursors.values()) {
      if (cursor.query.startsWith(`${stream} `)) cursor.isExpired = true;
    }
  }

  /** @param now the provider's clock when the request arrives */
  answer(url: URL, now: number): Reply {
    const headers = {
      "content-type": "application/json",
      ...(this.options.sendsDate ? { date: new Date(this.dateAt(now)).toUTCString() } : {}),
    };
    if (url.pathname.endsWith("/v1/finops/capabilities")) {
      return { status: 200, headers, body: JSON.stringify(this.#capabilities()) };
    }
    const rules = this.options.datasets.find(({ stream }) => url.pathname.endsWith(`/${stream}`));
    if (rules === undefined) return { status: 404, headers, body: "{}" };
    this.#served += 1;
    const reply = this.#page(rules, url.searchParams, now);
    return { ...reply, headers: { ...headers, ...reply.headers } };
  }

  #capabilities(): object {
    const offered = this.options.datasets.filter(({ stream }) => stream !== this.absent);
    const [any] = offered;
    // Every provider has usage. If a test gives none, the dataset is empty.
    const usage =
      this.rules("usage") === undefined && any !== undefined
        ? [{ ...any, stream: "usage" as const }]
        : [];
    const datasets = [...usage, ...offered].map((rules) => [
      rules.stream,
      {
        endpoint: `/v1/finops/${rules.stream}`,
        granularities: [rules.granularity],
        retention_days: rules.retentionDays,
        maximum_window_days: rules.maximumWindowDays,
        ...lagsOf(rules),
        dimensions: [],
      },
    ]);
    return {
      profile_version: "0.1",
      focus_version: "1.4",
      provider: "Sim",
      authorization_methods: ["scoped_bearer_token"],
      datasets: Object.fromEntries(datasets),
    };
  }

  #page(rules: Rules, query: URLSearchParams, now: number): Reply {
    const [start, end] = [Date.parse(query.get("start") ?? ""), Date.parse(query.get("end") ?? "")];
    const sent = query.get("cursor");
    const same = `${rules.stream} ${query.get("start")} ${query.get("end")} ${query.get("granularity")} ${query.get("limit")}`;
    const known = sent === null ? undefined : this.#cursors.get(sent);
    const seen = {
      stream: rules.stream,
      at: now,
      date: this.dateAt(now),
      start,
      end,
      cursor: sent,
    };
    const refusal =
      this.#refusal(rules, { start, end }, now) ??
      cursorRefusal(rules, { start, sent }, known, same, now);
    if (refusal !== undefined) {
      const none = { asOf: now, availableThrough: Number.NaN, nextCursor: null, versions: [] };
      this.exchanges.push({ ...seen, ...none, status: 400, refusal });
      return problem(400, refusal);
    }
    const view = viewAt(rules.views, this.options.salt, { start, end }, now);
    const snapshot = known?.snapshot ?? view;
    const asOf = rules.cursors === "snapshot" ? snapshot : view;
    const listing = this.#listing(rules, { start, end }, asOf, snapshot);
    const limit = Number(query.get("limit") ?? "1000");
    const from =
      rules.cursors === "keyset"
        ? listing.filter((one) => keyOf(one.record) > (known?.key ?? ""))
        : listing.slice(known?.offset ?? 0);
    const versions = from.slice(0, this.#sizeOf(limit));
    const last = versions.at(-1);
    const again =
      versions.length > 1 && chanceOf(this.options.salt, this.#served, 11) < 0.05 ? 1 : 0;
    const offset = (known?.offset ?? 0) + versions.length - (this.options.whims ? again : 0);
    const key = last === undefined ? (known?.key ?? "") : keyOf(last.record);
    const nextCursor =
      from.length > versions.length
        ? this.#newCursor({ query: same, madeAt: now, snapshot, offset, key, isExpired: false })
        : null;
    const availableThrough = this.#availableThrough(rules, asOf, end);
    this.exchanges.push({ ...seen, asOf, status: 200, availableThrough, nextCursor, versions });
    const due = this.strikes.length === 0 ? [] : dueOf(this.strikes, this.exchanges);
    this.strikes = this.strikes.filter((strike) => !due.includes(strike));
    for (const { lasts, showsOneOf } of due)
      rules.outages.push({ start: now + 1, end: now + 1 + lasts, showsOneOf });
    this.onPage(now + 1);
    const body = `{"data":[${versions.map((version) => this.#textOf(version)).join(",")}],"next_cursor":${JSON.stringify(nextCursor)},"as_of":"${iso(this.#saidAsOf(rules, asOf))}","available_through":"${iso(availableThrough)}"}`;
    return { status: 200, headers: {}, body };
  }

  /** `as_of` of a page that shows the dataset as it was at an instant. */
  #saidAsOf(rules: Rules, at: number): number {
    if (rules.still === null) return at;
    const last = lastChange(this.#lives[rules.stream], rules.outages, at);
    return rules.still === "change" && last > -Infinity ? last : Math.max(last, dayOf(at));
  }

  #textOf(version: Version): string {
    const { members = "same", salt } = this.options;
    const text = textOf(version, members, salt, this.#served);
    // A record may go back to an earlier version. Both versions then count as one, as they do if no member moves.
    if (members !== "same") this.texts.set(text, this.texts.get(version.text) ?? version);
    return text;
  }

  /** Most pages are full; some are short or empty (P2). */
  #sizeOf(limit: number): number {
    if (!this.options.whims) return limit;
    const chance = chanceOf(this.options.salt, this.#served, 7);
    if (chance < 0.05) return 0;
    return chance < 0.15 ? Math.ceil(limit / 2) : limit;
  }

  #refusal(rules: Rules, { start, end }: Span, now: number): string | undefined {
    if (!(end > start)) return "window";
    if (end - start > rules.maximumWindowDays * DAY) return "window-too-large";
    if (rules.refusesFuture && end > now) return "in-the-future";
    if (rules.beforeRetention === "refuse" && start < now - rules.retentionDays * DAY)
      return "out-of-retention";
    return undefined;
  }

  #listing(rules: Rules, window: Span, asOf: number, began: number): Version[] {
    const oldest = began - rules.retentionDays * DAY;
    const found: Version[] = [];
    const lives = this.#lives[rules.stream];
    for (let index = firstFrom(lives, oldest); index < lives.length; index++) {
      const life = lives[index];
      if (life === undefined) break;
      // Only a selection by posting returns a record that starts behind the window.
      if (life.start > window.end && rules.selects !== "posting") break;
      if (!selects(rules.selects, window, life)) continue;
      if (isHidden(rules, life, asOf)) continue;
      const version = visible(life, asOf);
      if (version !== undefined) found.push(version);
    }
    return found;
  }

  #newCursor(cursor: Cursor): string {
    const token = `${cursor.query.slice(0, 5)}+/=&%${this.#cursors.size.toString(36)}`;
    this.#cursors.set(token, cursor);
    return token;
  }

  /** `available_through` of a page, in whole seconds. */
  #availableThrough(rules: Rules, asOf: number, end: number): number {
    const { salt } = this.options;
    const { frontier } = rules;
    if (frontier.said !== undefined) return frontier.said;
    if (frontier.kind === "ahead") return dayOf(asOf) + 30 * DAY;
    const frozen = frontier.frozen.find((span) => asOf >= span.start && asOf < span.end);
    const base = (frozen?.start ?? asOf) - (rules.lag ?? 0);
    const regress =
      frontier.regress *
      Math.max(0, chanceOf(salt, Math.floor(asOf / (3 * 60 * MINUTE)), 3) * 3 - 2);
    const jitter = frontier.jitter * Math.max(0, chanceOf(salt, this.#served, 5) * 3 - 2);
    const through = Math.floor((base - regress - jitter) / 1000) * 1000;
    return frontier.clipped ? Math.min(through, end) : through;
  }
}

function lagsOf({ stream, lag }: Rules): object {
  if (lag === null) return {};
  return stream === "usage"
    ? { freshness_lag_minutes: Math.ceil(lag / MINUTE) }
    : { settlement_lag_hours: Math.ceil(lag / (60 * MINUTE)) };
}

/** Whether a record shows in the window of its posting, and not in that of its start. */
export const isPostedLater = (
  { selects: by }: Pick<Rules, "selects">,
  { start, postedAt }: Pick<Life, "start" | "postedAt">,
): boolean => by === "posting" && postedAt !== start;

function cursorRefusal(
  rules: Rules,
  { start, sent }: { readonly start: number; readonly sent: string | null },
  known: Cursor | undefined,
  query: string,
  now: number,
): string | undefined {
  if (sent === null) return undefined;
  if (known === undefined) return "cursor-unknown";
  if (known.query !== query) return "cursor-of-another-query";
  if (start === rules.refusesCursorsOf) return "cursor-refused";
  known.isExpired ||= now - known.madeAt > rules.cursorLifetime;
  return known.isExpired ? "cursor-expired" : undefined;
}

/** A problem document. */
export function problem(status: number, type: string, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: JSON.stringify({ type, title: type, status }),
  };
}
