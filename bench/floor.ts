/**
 * The floor: a bare undici loop that collects each page as bytes and parses nothing. FILE lists the addresses, one a
 * line.
 *
 *     node bench/floor.ts ORIGIN FILE
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";

const [origin = "", file = ""] = process.argv.slice(2);
const paths = readFileSync(file, "utf8").split("\n");
const dispatcher = new Agent({ connections: 1, allowH2: false });
let bytes = 0;

for (const path of paths) {
  const { body } = await request(origin + path, { dispatcher });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  bytes += Buffer.concat(chunks).length;
}
await dispatcher.close();
console.log(bytes);
