/** The end of a process by a signal. */
import { setMaxListeners } from "node:events";
import { ConnectorError } from "../src/errors.ts";

/** The time after a signal in which the last states may be written, in milliseconds (design section 4). */
const GRACE = 4500;

/**
 * SIGTERM and SIGINT end the run in good order: no new request, then the states of all that was written. Then the process
 * dies by the signal, so that no platform takes the run for a success. A signal does nothing to PID 1 of a container, so the
 * exit code is set, too.
 */
export function stopOnSignals(own: NodeJS.Process): {
  readonly signal: AbortSignal;
  end(): void;
  die(): void;
} {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let received: NodeJS.Signals | undefined;
  const die = (): void => {
    if (received === undefined) return;
    own.exitCode = received === "SIGTERM" ? 143 : 130;
    own.removeAllListeners(received);
    own.kill(own.pid, received);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    own.on(signal, () => {
      if (received !== undefined) return;
      received = signal;
      const message = `The run was stopped by ${signal}; it goes on from its last state.`;
      controller.abort(new ConnectorError("aborted", message));
      setTimeout(die, GRACE).unref();
    });
  }
  const end = (): void => controller.abort(new ConnectorError("aborted", "The run is over."));
  return { signal: controller.signal, end, die };
}
