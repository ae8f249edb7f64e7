/** The end of a process by a signal. */
import { setMaxListeners } from "node:events";
import { ConnectorError } from "../src/errors.ts";

/** The time after a signal in which the last states may be written, in milliseconds (design section 4). */
const STATES_GRACE = 4500;

/** The same for a command that has no states: renewed tokens may be saved, and connections closed. */
const GRACE = 800;

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** The part of Node's process that a signal concerns. */
export interface OwnProcess {
  readonly pid: number;
  exitCode?: number | string | null | undefined;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  removeAllListeners(signal: NodeJS.Signals): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
  exit(): unknown;
}

/** Sends a process the signal that a terminal sends at Ctrl-C. */
export const interrupt = (own: OwnProcess) => (): unknown => own.kill(own.pid, "SIGINT");

/**
 * SIGTERM and SIGINT end the run in good order: no new request, then the states of all that was written. Then the process
 * dies by the signal, so that no platform takes the run for a success. A signal does nothing to PID 1 of a container, so the
 * exit code is set, too, and the process exits.
 */
export function stopOnSignals(own: OwnProcess): {
  readonly signal: AbortSignal;
  /** Call this for a command that writes states: after a signal the process gets five seconds instead of one. */
  keepStates(): void;
  /**
   * Call this for a command that a signal may kill at any moment. A signal then ends the process at once, even while a long
   * computation keeps this thread from its signals. The call does nothing in PID 1 of a container, which no signal would kill.
   */
  keepNothing(): void;
  end(): void;
  die(): void;
} {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let received: NodeJS.Signals | undefined;
  let keepsStates = false;
  const die = (): void => {
    if (received === undefined) return;
    own.exitCode = received === "SIGTERM" ? 143 : 130;
    own.removeAllListeners(received);
    own.kill(own.pid, received);
  };
  const dieAtLast = (): void => {
    die();
    own.exit();
  };
  for (const signal of SIGNALS) {
    own.on(signal, () => {
      if (received !== undefined) return;
      received = signal;
      const message = keepsStates
        ? `The run was stopped by ${signal}; it goes on from its last state.`
        : `The command was stopped by ${signal}.`;
      controller.abort(new ConnectorError("aborted", message));
      setTimeout(dieAtLast, keepsStates ? STATES_GRACE : GRACE).unref();
    });
  }
  const keepStates = (): void => {
    keepsStates = true;
  };
  const keepNothing = (): void => {
    if (own.pid === 1) return;
    for (const signal of SIGNALS) own.removeAllListeners(signal);
  };
  const end = (): void => controller.abort(new ConnectorError("aborted", "The run is over."));
  return { signal: controller.signal, keepStates, keepNothing, end, die };
}
