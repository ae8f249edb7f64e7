/**
 * Decompression in the engine runs on threads, whose timing no seed decides. Imported before the engine, this gives it
 * the same function without threads.
 */
import { syncBuiltinESMExports } from "node:module";
import zlib, { type InputType, type ZlibOptions } from "node:zlib";

type Done = (error: Error | null, result: Buffer) => void;

function gunzipAtOnce(input: InputType, options: ZlibOptions, done: Done): void {
  let result: Buffer;
  try {
    result = zlib.gunzipSync(input, options);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)), Buffer.alloc(0));
    return;
  }
  done(null, result);
}

Object.assign(zlib, { gunzip: gunzipAtOnce });
syncBuiltinESMExports();
