/** `source-ai-billing conform`: from the command line to the reports and the exit code. */
import { realpath, writeFile } from "node:fs/promises";
import * as z from "zod";
import { allOf } from "../src/all_of.ts";
import { faultOfReplacing, replaceFile } from "../src/config/replace_file.ts";
import { codeOf, reasonOf } from "../src/file_faults.ts";
import { CannotRun } from "./errors.ts";
import { parseExpectations } from "./expectations.ts";
import { Wire } from "./http.ts";
import { parseMemory } from "./memory.ts";
import { faultsOfOutputs } from "./outputs.ts";
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
  /** The config of a file, of stdin or of the environment. Its errors say what a person should do. */
  readonly readConfig: (path: string) => Promise<unknown>;
  /** Environment variables: the token, and proxies. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Writes to stdout. */
  readonly say: (text: string) => void;
  /** Whether stdout is a terminal, where long lines are cut. */
  readonly isTerminal: boolean;
  /** Writes to stderr. */
  readonly warn: (text: string) => void;
  /** Shows a line that the next one replaces; undefined if stderr is no terminal. */
  readonly progress: ((line: string) => void) | undefined;
  /** Calls a function again and again, at a terminal more often. The returned function ends this. */
  readonly often: (tell: () => void) => () => void;
}

const HTTP_LIMITS = { silence: 30_000, total: 120_000, bytes: 32 * 1024 * 1024 };
const QUICK: RunLimits = {
  requests: 400,
  waiting: 120_000,
  time: 1_200_000,
  bytes: 128 * 1024 ** 2,
  pages: 25,
  samplePages: 5,
  pause: 1000,
};
const DEEP: RunLimits = {
  requests: 2000,
  waiting: 1_200_000,
  time: 7_200_000,
  bytes: 512 * 1024 ** 2,
  pages: 100,
  samplePages: 25,
  pause: 5000,
};

/** The mode of a report: it is for others too, such as those who share a container's volume. */
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
  const place = await realpath(path);
  // A refresh spends the old token, so a place that takes no new one is refused before the first request.
  const fault = await faultOfReplacing(place);
  if (fault !== undefined)
    throw new CannotRun(
      `--oauth cannot be written to ${path}, so a new refresh token would be lost: ${reasonOf({ code: fault })}`,
    );
  shown.hide(file.refresh_token);
  shown.hide(file.client_secret ?? "");
  return {
    file: path,
    clientId: file.client_id,
    clientSecret: file.client_secret,
    refreshToken: file.refresh_token,
    save: async (token) => {
      const text = `${JSON.stringify({ ...file, refresh_token: token }, null, 2)}\n`;
      await written(path, replaceFile(place, text));
    },
  };
}

const write = (path: string, text: string): Promise<void> =>
  written(path, writeFile(path, text, { mode: PUBLIC }));

/** Waits for the writing of a file. Throws {@link CannotRun} that names it. */
async function written(path: string, writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    throw new CannotRun(`${path} cannot be written: ${reasonOf(error)}`);
  }
}

/** The state of an earlier run; undefined at the first. */
async function earlierOf({ state, baseUrl }: Options) {
  if (state === undefined) return undefined;
  try {
    return parseMemory(await readText(state), baseUrl);
  } catch (error) {
    if (error instanceof CannotRun && codeOf(error.cause) === "ENOENT") return undefined;
    throw error;
  }
}

/** The checks that are known to fail. */
const expectedOf = async (path: string | undefined) =>
  parseExpectations(path === undefined ? "" : await readText(path));

/** A run takes minutes: its results must not be lost, or replace a file of another kind. */
async function assertMayWrite(options: Options): Promise<void> {
  const faults = await faultsOfOutputs(options);
  if (faults.length > 0) throw new CannotRun(faults.join("; "));
}

/** One error that names the faults of all files. A defect stays alone. */
function mergedFaults(reasons: readonly unknown[]): unknown {
  const faults = reasons.filter((reason) => reason instanceof CannotRun);
  return faults.length === reasons.length
    ? new CannotRun(faults.map(({ message }) => message).join("; "))
    : reasons.find((reason) => !(reason instanceof CannotRun));
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
  const [oauth, earlier, expected] = await allOf(
    [
      oauthOf(options.oauth, shown),
      earlierOf(options),
      expectedOf(expect),
      assertMayWrite(options),
    ],
    mergedFaults,
  );
  const checks = only.length === 0 ? CHECKS : chosen(only).checks;
  const wire = new Wire(HTTP_LIMITS, host.environment);
  const started = host.clock.now();
  let at = "asks for the capabilities";
  let sent = 0;
  // A provider may send its answer so slowly that one request takes two minutes: the line says that the run goes on.
  const tell = (): void => {
    const seconds = Math.floor((host.clock.now() - started) / 1000);
    const line = `${at}, ${sent} requests answered, ${seconds} s`;
    if (host.progress === undefined) host.warn(`conform: ${line}\n`);
    else host.progress(line);
  };
  const session = new Session({
    baseUrl,
    credentials: { token, limitedToken, oauth },
    deep,
    earlier,
    limits: deep ? DEEP : QUICK,
    clock: host.clock,
    wire,
    shown,
    onRequest: (requests) => {
      sent = requests;
      if (host.progress !== undefined) tell();
    },
  });
  const rest = host.often(tell);
  try {
    const summary = await runChecks(checks, session, expected, ({ id }, index) => {
      at = `${id}, ${index + 1} of ${checks.length} checks`;
    });
    host.progress?.("");
    const ended = host.clock.now();
    const report: Report = { ...summary, baseUrl, version: host.version, started, ended, deep };
    host.say(terminalReport(report, host.isTerminal));
    await writeReports(options, report);
    if (state !== undefined) await write(state, `${JSON.stringify(await remember(session))}\n`);
    return summary.exitCode;
  } finally {
    rest();
    host.progress?.("");
    wire.close();
  }
}

/** Runs the command; gives the process's exit code. Never rejects. */
export async function conform(given: GivenOptions, host: Host): Promise<number> {
  try {
    const { environment, readConfig } = host;
    const config = async (path: string): Promise<unknown> => {
      try {
        return await readConfig(path);
      } catch (error) {
        throw new CannotRun(error instanceof Error ? error.message : String(error));
      }
    };
    return await check(await completed(given, environment, config), host);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Messages of the connector are whole sentences, those of this check are the rest of one.
    host.warn(`The check could not run: ${message.replace(/\.$/, "")}.\n`);
    if (error instanceof Error && !(error instanceof CannotRun))
      host.warn(`${error.stack ?? ""}\n`);
    return 2;
  }
}
