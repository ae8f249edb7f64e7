/** Runs whole processes and measures them as the operating system sees them (Linux: /proc). */
import { readFileSync } from "node:fs";
import { localEnvironment, start } from "../bin/process.ts";

/** One run of a process. */
export interface Run {
  /** Milliseconds from before the start until the process and its reader have ended. */
  readonly wallMs: number;
  /** Processor time of the process, without its reader, in milliseconds. */
  readonly cpuMs: number;
  /** Its peak resident set, in MiB. */
  readonly peakMiB: number;
}

/** Milliseconds between two measurements of a process. Its last few milliseconds are not measured. */
const LOOK_MS = 5;

/** Milliseconds. A longer run is killed and fails the bench. */
const PATIENCE = 1_200_000;

/** Clock ticks a second in /proc/PID/stat, on every Linux that matters. */
const TICKS = 100;

/**
 * Starts `command` with its stdout in a real pipe (Node's own are sockets). `reader`, a line of sh, reads the pipe.
 * File descriptor 3 reports the process id, which stays the same over `exec`, and the exit code.
 */
const PIPED =
  '{ sh -c \'echo pid $$ >&3; exec "$@"\' sh "$@" 3>&3; echo exit $? >&3; } | eval "$READER"';

/**
 * Runs a command to its end. By default its output goes through a pipe and is thrown away.
 *
 * @throws Error if it does not exit with 0
 */
export async function measure(
  command: readonly string[],
  { reader = "cat > /dev/null" }: { reader?: string } = {},
): Promise<Run> {
  const started = performance.now();
  const { child, ended } = start(["sh", "-c", PIPED, "sh", ...command], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    env: { ...localEnvironment(), READER: reader },
    timeout: PATIENCE,
  });
  let told = "";
  let usage = { cpuMs: 0, peakMiB: 0 };
  child.stdio[3]?.on("data", (chunk: Buffer) => (told += chunk.toString()));
  const look = setInterval(() => {
    const pid = /pid (\d+)/.exec(told)?.[1];
    if (pid !== undefined) usage = usageOf(pid) ?? usage;
  }, LOOK_MS);
  await ended;
  clearInterval(look);
  const wallMs = performance.now() - started;
  if (!told.includes("exit 0")) throw new Error(`${command.join(" ")}: ${told}`);
  return { wallMs, ...usage };
}

function usageOf(pid: string): Omit<Run, "wallMs"> | undefined {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    // The fields after the name in parentheses; user and system time are the 12th and the 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    if (peak === undefined) return undefined;
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { cpuMs: (ticks * 1000) / TICKS, peakMiB: Number(peak) / 1024 };
  } catch {
    return undefined; // the process has just ended
  }
}

/** The median. For an even number of values: the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** A figure as text: the median, then the minimum and the maximum in brackets, so that a run that waits for something shows. */
export function spread(values: readonly number[], text: (value: number) => string): string {
  const middle = text(median(values));
  if (values.length < 2) return middle;
  return `${middle} (${text(Math.min(...values))} to ${text(Math.max(...values))})`;
}
