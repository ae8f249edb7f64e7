/**
 * Node decompresses on threads, and a seed cannot decide their timing. This module replaces the function by one without
 * threads. It must be imported before the engine.
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
