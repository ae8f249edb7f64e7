/** `source-ai-billing conform`: from the command line to the reports and the exit code. */
import { writeFile } from "node:fs/promises";
import * as z from "zod";
import { CannotRun } from "./errors.ts";
import { parseExpectations } from "./expectations.ts";
import { Wire } from "./http.ts";
import { parseMemory } from "./memory.ts";
import { completed, readJson, readText } from "./options.ts";
import type { GivenOptions, Options } from "./options.ts";
import { CHECKS, chosen } from "./registry.ts";
import { remember } from "./remember.ts";
import { htmlReport } from "./report/html.ts";
import { jsonReport } from "./report/json.ts";
import { junitReport } from "./report/junit.ts";
import { terminalReport } from "./report/terminal.ts";
import type { Report } from "./report/report.ts";
import { runChecks } from "./run.ts";
import { Session } from "./session.ts";
import type { Clock, OAuthCredentials, RunLimits } from "./session.ts";
import { Shown } from "./text.ts";

/** The parts of the process that the command uses. */
export interface Host {
  readonly version: string;
  /** Environment variables: the token, and proxies. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Writes to stdout. */
  readonly say: (text: string) => void;
  /** Whether stdout is a terminal, where long lines are cut. */
  readonly isTerminal: boolean;
  /** Writes to stderr. */
  readonly warn: (text: string) => void;
  /** Shows a line that the next one replaces; undefined if nobody watches. */
  readonly progress: ((line: string) => void) | undefined;
}

const HTTP_LIMITS = { silence: 30_000, total: 120_000, bytes: 32 * 1024 * 1024 };
const QUICK: RunLimits = {
  requests: 400,
  waiting: 120_000,
  pages: 25,
  samplePages: 5,
  pause: 1000,
};
const DEEP: RunLimits = {
  requests: 2000,
  waiting: 1_200_000,
  pages: 100,
  samplePages: 25,
  pause: 5000,
};

/** Modes of files. One with tokens is private. A report is for others too, such as those who share a container's volume. */
const PRIVATE = 0o600;
const PUBLIC = 0o644;

const oauthSchema = z.looseObject({
  client_id: z.string().min(1),
  client_secret: z.string().optional(),
  refresh_token: z.string().min(1),
});

async function oauthOf(
  path: string | undefined,
  shown: Shown,
): Promise<OAuthCredentials | undefined> {
  if (path === undefined) return undefined;
  const file = await readJson(path, oauthSchema);
  shown.hide(file.refresh_token);
  shown.hide(file.client_secret ?? "");
  return {
    file: path,
    clientId: file.client_id,
    clientSecret: file.client_secret,
    refreshToken: file.refresh_token,
    save: (token) =>
      write(path, `${JSON.stringify({ ...file, refresh_token: token }, null, 2)}\n`, PRIVATE),
  };
}

async function write(path: string, text: string, mode = PUBLIC): Promise<void> {
  try {
    await writeFile(path, text, { mode });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CannotRun(`${path} cannot be written (${code})`);
  }
}

/** The state of an earlier run; undefined at the first. */
async function earlierOf({ state, baseUrl }: Options) {
  if (state === undefined) return undefined;
  try {
    return parseMemory(await readText(state), baseUrl);
  } catch (error) {
    if (error instanceof CannotRun && error.message.includes("ENOENT")) return undefined;
    throw error;
  }
}

async function writeReports(options: Options, report: Report): Promise<void> {
  const { junit, html, json } = options;
  if (junit !== undefined) await write(junit, junitReport(report));
  if (html !== undefined) await write(html, htmlReport(report));
  if (json !== undefined) await write(json, jsonReport(report));
}

async function check(options: Options, host: Host): Promise<number> {
  const { baseUrl, token, limitedToken, deep, only, state, expect } = options;
  const shown = new Shown();
  shown.hide(token);
  shown.hide(limitedToken ?? "");
  const oauth = await oauthOf(options.oauth, shown);
  const earlier = await earlierOf(options);
  const expected = parseExpectations(expect === undefined ? "" : await readText(expect));
  const checks = only.length === 0 ? CHECKS : chosen(only).checks;
  const wire = new Wire(HTTP_LIMITS, host.environment);
  const started = host.clock.now();
  let at = "";
  const session = new Session({
    baseUrl,
    credentials: { token, limitedToken, oauth },
    deep,
    earlier,
    limits: deep ? DEEP : QUICK,
    clock: host.clock,
    wire,
    shown,
    onRequest: (requests) => host.progress?.(`${at}, ${requests} requests`),
  });
  try {
    const summary = await runChecks(checks, session, expected, ({ id }, index) => {
      at = `${id}, ${index + 1} of ${checks.length} checks`;
      host.progress?.(at);
    });
    host.progress?.("");
    const ended = host.clock.now();
    const report: Report = { ...summary, baseUrl, version: host.version, started, ended, deep };
    host.say(terminalReport(report, host.isTerminal));
    await writeReports(options, report);
    if (state !== undefined) await write(state, `${JSON.stringify(await remember(session))}\n`);
    return summary.exitCode;
  } finally {
    host.progress?.("");
    wire.close();
  }
}

/** Runs the command; gives the process's exit code. Never rejects. */
export async function conform(given: GivenOptions, host: Host): Promise<number> {
  try {
    return await check(await completed(given, host.environment), host);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    host.warn(`The check could not run: ${message}.\n`);
    if (error instanceof Error && !(error instanceof CannotRun))
      host.warn(`${error.stack ?? ""}\n`);
    return 2;
  }
}
