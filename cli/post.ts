/** Sends the notices of `sync`. */
import type { Environment } from "../src/config_place.ts";

type Connector = Pick<typeof import("../src/connector.ts"), "openTransport">;

/** Time-outs of a notice, in milliseconds. A sync must not wait for a channel. */
const LIMITS = { connectMs: 10_000, headersMs: 20_000, bodyMs: 20_000, answerMs: 30_000 };

/** The function that sends a JSON text, and gives the status of the answer. `signal` ends it. */
export function poster(
  { openTransport }: Connector,
  proxies: Environment,
  { name, version }: { readonly name: string; readonly version: string },
  signal: AbortSignal,
): (url: URL, body: string) => Promise<number> {
  const headers = { "content-type": "application/json", "user-agent": `${name}/${version}` };
  return async (url, body) => {
    const opened = openTransport({ limits: LIMITS, connections: 1, proxies });
    try {
      return (await opened.transport({ url, headers, body, signal })).status;
    } finally {
      await opened.close();
    }
  };
}
