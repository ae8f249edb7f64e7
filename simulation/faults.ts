/** Draws the fault of one request from the seed. */
import { gzipSync } from "node:zlib";
import { DAY, HOUR } from "./calendar.ts";
import { problem, type Reply } from "./provider.ts";
import type { Random } from "./random.ts";

/** A response during its transfer: its chunks, and the way in which it ends. */
export interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Uint8Array[];
  /** Thrown after the last chunk. */
  readonly breaks?: Error | undefined;
  /** The wait that a 429 asks for, in milliseconds; undefined if its header has no valid value. */
  readonly asked?: number | undefined;
}

/** The outcome of a request. `error` replaces the headers, after `delay` milliseconds. */
export type Outcome =
  | { readonly delivery: Delivery }
  | { readonly error: Error; readonly delay: number };

function failure(code: string): Error {
  return Object.assign(new Error(`simulated ${code}`), { code });
}

const ENCODER = new TextEncoder();
const bytes = (text: string): Uint8Array => ENCODER.encode(text);

/** A response without a fault. */
export function whole(reply: Reply): Delivery {
  return { status: reply.status, headers: reply.headers, chunks: [bytes(reply.body)] };
}

/** Compresses or splits the body at random. */
export function wellMeant(reply: Reply, random: Random): Outcome {
  const plain = whole(reply);
  const [body = new Uint8Array()] = plain.chunks;
  if (random.chance(0.03)) {
    return {
      delivery: {
        ...plain,
        headers: { ...reply.headers, "content-encoding": "gzip" },
        chunks: [gzipSync(body)],
      },
    };
  }
  if (!random.chance(0.1)) return { delivery: plain };
  const middle = random.int(0, body.length);
  return { delivery: { ...plain, chunks: [body.subarray(0, middle), body.subarray(middle)] } };
}

/** Faults that a retry overcomes (C2, C4, P3). */
export function passingFault(reply: Reply, random: Random, now: number): Outcome {
  const body = bytes(reply.body);
  const cut = (from: Uint8Array): Uint8Array => from.subarray(0, random.int(0, from.length - 1));
  const as = (headers: Record<string, string>, chunks: Uint8Array[], breaks?: Error): Outcome => ({
    delivery: { status: reply.status, headers: { ...reply.headers, ...headers }, chunks, breaks },
  });
  switch (random.int(0, 11)) {
    case 0:
      return { error: failure("ECONNRESET"), delay: random.int(0, 200) };
    case 1:
      return { error: failure("UND_ERR_HEADERS_TIMEOUT"), delay: 60_000 };
    case 2:
      return as({}, [cut(body)], failure("UND_ERR_BODY_TIMEOUT"));
    case 3:
      return as({}, [cut(body)], failure("ECONNRESET"));
    case 4:
      return as({}, [cut(body)]);
    case 5:
      return as({ "content-encoding": "gzip" }, [cut(gzipSync(body))]);
    case 6:
      return as({ "content-type": "text/plain" }, [body]);
    case 7:
      return { delivery: whole(problem(random.pick([500, 502, 503, 504, 408]), "down")) };
    case 8:
      return {
        delivery: whole(problem(503, "down", { "retry-after": String(random.int(0, 30)) })),
      };
    case 9:
      return { error: failure("UND_ERR_SOCKET"), delay: random.int(0, 200) };
    default:
      return { delivery: tooMany(random, now) };
  }
}

/** 429 with every form of Retry-After (C2). */
function tooMany(random: Random, now: number): Delivery {
  const clock = new Date(now).toUTCString();
  const base = Date.parse(clock);
  const seconds = random.pick([0, 1, 2, 7, 60, 600]);
  const then = new Date(base + seconds * 1000).toUTCString();
  const [, day = "", month = "", year = "", time = ""] = then.split(" ");
  const name = then.slice(0, 3);
  const forms: readonly [string, number | undefined][] = [
    [String(seconds), seconds * 1000],
    [then, seconds * 1000],
    [`${LONG[name]}, ${day}-${month}-${year.slice(2)} ${time} GMT`, seconds * 1000],
    [`${name} ${month} ${String(Number(day)).padStart(2, " ")} ${time} ${year}`, seconds * 1000],
    [new Date(base - DAY).toUTCString(), 0],
    ["soon", undefined],
    ["-5", undefined],
  ];
  const [header, asked] = forms[random.int(0, forms.length - 1)] ?? ["0", 0];
  const reply = problem(429, "rate", { "retry-after": header, date: clock });
  return { ...whole(reply), asked };
}

const LONG: Readonly<Record<string, string>> = {
  Sun: "Sunday",
  Mon: "Monday",
  Tue: "Tuesday",
  Wed: "Wednesday",
  Thu: "Thursday",
  Fri: "Friday",
  Sat: "Saturday",
};

/** Faults that end a stream or the run. They must not lose data either. */
export function finalFault(reply: Reply, sent: string | null, random: Random): Outcome {
  const page = (change: (body: string) => string): Outcome => ({
    delivery: { ...whole(reply), chunks: [bytes(change(reply.body))] },
  });
  const cursor = /"next_cursor":(null|"[^"]*")/;
  switch (random.int(0, 9)) {
    case 0:
      return page((body) => body.replace(cursor, '"next_cursor":""'));
    case 1:
      return page((body) => body.replace(/"next_cursor":(null|"[^"]*"),/, ""));
    case 2:
      return page((body) => body.replace(cursor, `"next_cursor":${JSON.stringify(sent ?? "")}`));
    case 3:
      return page((body) => body.replace("{", '{"surprise":1,'));
    case 4:
      return page((body) =>
        body.replace(/"available_through":"[^"]*"/, '"available_through":"soon"'),
      );
    case 5:
      return { delivery: whole(problem(random.pick([401, 403, 404, 400, 302]), "no")) };
    case 6:
      return {
        delivery: whole(problem(429, "rate", { "retry-after": String((2 * HOUR) / 1000) })),
      };
    case 7:
      return page((body) => body.replace('"x_RecordId"', '"x_Lost"'));
    case 8:
      return page((body) => body.replace(/"(BilledCost|ConsumedQuantity)":"[^"]*"/, '"$1":1.5'));
    default:
      return {
        delivery: {
          ...whole(reply),
          headers: { "content-type": "text/html" },
          chunks: [bytes("<html>sign in</html>")],
        },
      };
  }
}
