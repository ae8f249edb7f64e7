import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { interrupt, type OwnProcess, stopOnSignals } from "./signals.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that notes its end. As PID 1 of a container does, it outlives its own signal. */
function processOf(pid = 1) {
  const ended: string[] = [];
  const listeners = new Map<string, () => void>();
  const own: OwnProcess = {
    pid,
    on: (signal, listener) => listeners.set(signal, listener),
    removeAllListeners: (signal) => listeners.delete(signal),
    kill: (_, signal) => ended.push(signal),
    exit: () => ended.push(`exit ${String(own.exitCode)}`),
  };
  return { own, ended, listeners, send: (signal: string) => listeners.get(signal)?.() };
}

test.each([
  ["a command", false, 1000, "The command was stopped by SIGINT."],
  [
    "a command with states",
    true,
    5000,
    "The run was stopped by SIGINT; it goes on from its last state.",
  ],
])("%s ends in time after a signal, also as PID 1", (_, keepsStates, limit, message) => {
  const { own, ended, send } = processOf();
  const stop = stopOnSignals(own);
  if (keepsStates) stop.keepStates();
  send("SIGINT");
  send("SIGINT");
  expect(stop.signal.reason).toMatchObject({ code: "aborted", message });
  vi.advanceTimersByTime(limit - 600);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(600);
  expect(ended).toEqual(["SIGINT", "exit 130"]);
});

test.each([
  [7, []],
  [1, ["SIGTERM", "SIGINT"]],
])(
  "process %i with nothing to keep leaves its signals to the system, but not as PID 1",
  (pid, kept) => {
    const { own, listeners } = processOf(pid);
    stopOnSignals(own).keepNothing();
    expect([...listeners.keys()]).toEqual(kept);
  },
);

test("a command that has ended in good order dies by its signal, and one without a signal lives", () => {
  const { own, ended, send } = processOf();
  const stop = stopOnSignals(own);
  stop.die();
  expect(ended).toEqual([]);
  send("SIGTERM");
  stop.die();
  expect([ended, own.exitCode]).toEqual([["SIGTERM"], 143]);
});

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("the design says with which code PID 1 ends after %s", (signal, code) => {
  const { own, send } = processOf(1);
  const stop = stopOnSignals(own);
  send(signal);
  stop.die();
  expect(own.exitCode).toBe(code);
  const design = readFileSync(new URL("../docs/design.md", import.meta.url), "utf8");
  expect(design).toContain(`${code} after ${signal}`);
});

test("an interrupt is SIGINT to the process itself", () => {
  const { own, ended } = processOf();
  interrupt(own)();
  expect(ended).toEqual(["SIGINT"]);
});
