import type { ServerResponse } from "node:http";
import type { FaultEngine } from "./engine.ts";
import { edited } from "./json.ts";

/** Lets the faults `metadata` change a metadata document on its way out, whoever writes it. */
export function alterMetadata(
  of: "resource" | "server" | undefined,
  faults: FaultEngine,
  response: ServerResponse,
): void {
  const changes = of === undefined ? [] : faults.metadata(of);
  if (changes.length === 0) return;
  const end = response.end.bind(response);
  response.end = (body?: unknown) => {
    let document: Record<string, unknown> = JSON.parse(String(body));
    for (const { set, drop } of changes) document = edited(document, { set, drop, raw: {} });
    const text = JSON.stringify(document);
    if (!response.headersSent) response.setHeader("content-length", Buffer.byteLength(text));
    return end(text);
  };
}
