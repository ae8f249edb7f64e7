/**
 * The floor: a bare undici loop that collects each page as bytes and parses nothing. FILE lists the addresses, one a
 * line. LOOPS loops run side by side.
 *
 *     node bench/floor.ts ORIGIN FILE [LOOPS]
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";

const [origin = "", file = "", loops = "1"] = process.argv.slice(2);
const paths = readFileSync(file, "utf8").split("\n");
const dispatcher = new Agent({ connections: Number(loops), allowH2: false });
let bytes = 0;

async function loop(): Promise<void> {
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const { body } = await request(origin + path, { dispatcher });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    bytes += Buffer.concat(chunks).length;
  }
}

await Promise.all(Array.from({ length: Number(loops) }, loop));
await dispatcher.close();
console.log(bytes);
