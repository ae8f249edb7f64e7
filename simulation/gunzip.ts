/**
 * Node decompresses on threads, and a seed cannot decide their timing. This module replaces the function by one without
 * threads. It must be imported before the engine.
 */
import { syncBuiltinESMExports } from "node:module";
import { Transform, type TransformCallback } from "node:stream";
import zlib from "node:zlib";

function gunzipWithoutThreads(): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _encoding: string, done: TransformCallback) {
      chunks.push(chunk);
      done();
    },
    flush(done: TransformCallback) {
      let result: Buffer;
      try {
        result = zlib.gunzipSync(Buffer.concat(chunks));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      done(null, result);
    },
  });
}

Object.defineProperty(zlib, "createGunzip", { value: gunzipWithoutThreads });
syncBuiltinESMExports();
