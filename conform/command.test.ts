import { constants } from "node:fs";
import {
  access,
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Command as Parser } from "commander";
import { conform } from "./command.ts";
import { addConform, type ConformCommand } from "./options.ts";
import { readConfig } from "../src/config/config_source.ts";
import { readJsonFile } from "../src/config/json_file.ts";
import { withProvider } from "./testing/provider.ts";
import type { Trial } from "./testing/provider.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conform-"));
});
afterAll(() => rm(folder, { recursive: true }));

const sources = { readFile: readJsonFile, readInput: () => Promise.resolve(new Uint8Array()) };

/** Runs the command. Gives its exit code and its output. */
async function run(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  isTerminal = false,
  config = (name: string): Promise<unknown> => readConfig(name, { ...sources, environment }),
) {
  const said: string[] = [];
  const warned: string[] = [];
  const lines: string[] = [];
  const found: ConformCommand[] = [];
  const program = new Parser().exitOverride();
  addConform(program, (command) => found.push(command));
  program.parse(["conform", ...argv], { from: "user" });
  const options = found[0]?.options ?? { deep: false };
  const code = await conform(options, {
    version: "9.9.9",
    readConfig: config,
    environment,
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    say: (text) => said.push(text),
    isTerminal,
    warn: (text) => warned.push(text),
    progress: (line) => lines.push(line),
    often: () => () => undefined,
  });
  return { code, said: said.join(""), warned: warned.join(""), lines };
}

function path(name: string): string {
  return join(folder, name);
}

async function file(name: string, content: string): Promise<string> {
  await writeFile(path(name), content);
  return path(name);
}

const address = ({ baseUrl }: Trial): string[] => ["--base-url", baseUrl];
const token = ({ token: text }: Trial) => ({ BILLING_EXPORT_TOKEN: text });

const secret = { AI_BILLING_TOKEN: "secret-1" };

describe("exit codes", () => {
  it("is 0 where no rule is broken, and the report fits a screen", () =>
    withProvider({}, async (trial) => {
      const { code, said, warned } = await run(address(trial), token(trial));
      expect(warned).toBe("");
      expect(code).toBe(0);
      expect(said).toMatch(
        /No rule of the interface is seen to be broken; \d+ checks could not be tried, so this is not yet a whole proof\.\n$/,
      );
      expect(said).toContain("version 9.9.9");
      expect(said.split("\n").length).toBeLessThan(40);
    }));

  it("is 1 where a rule is broken, and the report says what to mend", () =>
    withProvider({}, async (trial) => {
      trial.provider.fault({ kind: "long_page" });
      const { code, said } = await run([...address(trial), "--only", "PAG"], token(trial));
      expect(code).toBe(1);
      expect(said).toMatch(/FAILED PAG-03 A page holds at most `limit` records/);
      expect(said).toMatch(/ {2}seen {6}the page has \d+ records/);
      expect(said).toMatch(/ {2}request {3}GET http:\/\/127\.0\.0\.1:\d+\/v1\/finops\//);
      expect(said).toContain("mend      Cut the page at limit");
    }));

  it("ends a run with nothing left to try with the whole proof", () =>
    withProvider({}, async (trial) => {
      const { said } = await run([...address(trial), "--only", "CAP-01"], token(trial));
      expect(said).toMatch(/\n1 passed\. No rule of the interface is seen to be broken\.\n$/);
    }));

  it("says what passed in part, and without what", () =>
    withProvider({}, async (trial) => {
      const when = { operation: "usage", granularity: "1h" } as const;
      trial.provider.fault({ kind: "status", status: 400, when });
      const { said } = await run([...address(trial), "--only", "PAG-13,PAG-16"], token(trial));
      expect(said).toContain(
        "PASSED IN PART: 2 of the passed\n  PAG-13 PAG-16: without usage 1h, which is on offer and not served\n",
      );
    }));

  it("says which rule to mend first, and how to get a 429", () =>
    withProvider({}, async (trial) => {
      trial.provider.fault({ kind: "refusal", of: ["unauthorized"], body: "page" });
      const { said } = await run([...address(trial), "--only", "ERR"], token(trial));
      expect(said).toContain("ERR-06: needs a 401: mend ERR-04 and ERR-05 first\n");
      expect(said).toContain("ERR-07: needs a 401 to a request without a token: mend ERR-04");
      expect(said).toContain("lower the rate limit of a staging system for this run");
    }));

  it("cuts long lines on a terminal, and nowhere else", () =>
    withProvider({}, async (trial) => {
      trial.provider.fault({ kind: "refuse_limits" });
      const argv = [...address(trial), "--only", "PAG-16"];
      const { said } = await run(argv, token(trial));
      expect(said).toContain("fewer records than the limit, but the request is not refused.\n");
      expect(said).not.toContain("…");
      const cut = await run(argv, token(trial), true);
      expect(cut.said).toMatch(/ {2}mend {6}Accept every limit from 1 to 1000; .*…\n/);
    }));

  it("is 0 for a warning", () =>
    withProvider({}, async (trial) => {
      trial.provider.fault({ kind: "refuse_future" });
      const { code, said } = await run([...address(trial), "--only", "WIN-11"], token(trial));
      expect([code, said]).toEqual([0, expect.stringContaining("WARNING WIN-11")]);
    }));

  it.each([
    [[], {}, 'The config file "config.json" does not exist. Make it with `source-ai-billing init`'],
    [[], secret, "AI_BILLING_TOKEN is set without an address: set AI_BILLING_BASE_URL"],
    [["--base-url", "https://example.com"], {}, "a token is missing"],
    [
      ["--base-url", "https://example.com", "--only", "NO-1"],
      {},
      "a token is missing: set AI_BILLING_TOKEN, or name a config that has one with --config; --only names no check: NO-1.",
    ],
    [["--base-url", "http://example.com"], secret, "must be an https address"],
    [
      ["--base-url", "https://example.com"],
      { AI_BILLING_TOKEN: "secret-1\n2", AI_BILLING_LIMITED_TOKEN: "Bearer secret-1" },
      "the token must be one word without spaces or line breaks; AI_BILLING_LIMITED_TOKEN must be the token alone, ",
    ],
    [
      ["--base-url", "https://example.com", "--json", "", "--state", ""],
      secret,
      "--json has no value; --state has no value.",
    ],
    [["--base-url", "https://a:b@example.com"], secret, "must be an https address"],
    [["--base-url", "https://example.com", "--only", "NO-1"], secret, "NO-1"],
    [
      ["--base-url", "https://example.com", "--only", "x-secret-1"],
      secret,
      "--only names no check: a word that is no id.",
    ],
    [["--base-url", "http://127.0.0.1:1", "--only", ","], secret, "--only names no check"],
    [["--base-url", "http://127.0.0.1:1", "--only", "toString"], secret, "--only names no check"],
    [["--config", "/does/not/exist"], {}, 'The config file "/does/not/exist" does not exist.'],
    [
      ["--config", "/does/not/exist", "--only", "XX", "--json", ""],
      {},
      'could not run: The config file "/does/not/exist" does not exist; --json has no value; --only names no check: XX.\n',
    ],
    [
      ["--base-url", "http://example.com", "--only", "XX"],
      {},
      "could not run: --base-url must be an https address (or http on this machine), without a query; a token is missing: " +
        "set AI_BILLING_TOKEN, or name a config that has one with --config; --only names no check: XX.\n",
    ],
    [
      ["--base-url", "https://example.com", "--expect", "/does/not/exist"],
      secret,
      "/does/not/exist cannot be read: there is no such file or folder.",
    ],
  ])("is 2 for %j with %j", async (argv, environment, message) => {
    const { code, said, warned } = await run(argv, environment);
    expect([code, said]).toEqual([2, ""]);
    expect(warned).toContain(message);
    expect(warned).not.toContain("secret-1");
  });

  it("is 2 for a config of several accounts, in one sentence", async () => {
    const config = () => Promise.resolve({ accounts: [{}] });
    const { code, warned } = await run(["--only", "XX"], {}, false, config);
    expect([code, warned]).toEqual([
      2,
      "The check could not run: The config has a list of accounts, which only `sync` reads. Give this command a config of one account; " +
        "--only names no check: XX.\n",
    ]);
  });

  it("is 2 where nobody answers, and where the token is refused", () =>
    withProvider({}, async (trial) => {
      const refused = await run(address(trial), { BILLING_EXPORT_TOKEN: "somebody-else" });
      expect(refused.code).toBe(2);
      expect(refused.warned).toMatch(/answers 401 to the token/);
      const nobody = await run(["--base-url", "http://127.0.0.1:1"], token(trial));
      expect(nobody.code).toBe(2);
      expect(nobody.warned).toMatch(
        /cannot be reached: nothing listens at this address: the connection was refused/,
      );
    }));
});

describe("the time of a run", () => {
  /** Runs one check. The host tells of the run before the first answer has come, when its clock says 61 seconds. */
  async function told(isTerminal: boolean) {
    const at = { now: 0 };
    const lines: string[] = [];
    const warned: string[] = [];
    let isOver = false;
    await withProvider({}, async (trial) => {
      await conform(
        { baseUrl: trial.baseUrl, deep: false, only: "CAP-01" },
        {
          version: "9.9.9",
          readConfig: () => Promise.resolve({}),
          environment: { AI_BILLING_TOKEN: trial.token },
          clock: { now: () => at.now, sleep: () => Promise.resolve() },
          say: () => undefined,
          isTerminal,
          warn: (text) => warned.push(text),
          progress: isTerminal ? (line) => lines.push(line) : undefined,
          often: (tell) => {
            at.now = 61_000;
            tell();
            return () => {
              isOver = true;
            };
          },
        },
      );
    });
    expect(isOver).toBe(true);
    return { lines, warned };
  }

  it("is told while an answer does not come: one line that is replaced at a terminal, plain lines elsewhere", async () => {
    const watched = await told(true);
    expect(watched.lines[0]).toBe("asks for the capabilities, 0 requests answered, 61 s");
    expect(watched.warned).toEqual([]);
    expect((await told(false)).warned).toEqual([
      "conform: asks for the capabilities, 0 requests answered, 61 s\n",
    ]);
  });
});

describe("--expect", () => {
  it("forgives what is known to fail, and fails for what passes", () =>
    withProvider({}, async (trial) => {
      trial.provider.fault({ kind: "long_page" });
      const argv = [...address(trial), "--only", "PAG-02,PAG-03", "--expect"];
      const known = await run(
        [...argv, await file("known", "# ours\nPAG-03 # ticket 7\n")],
        token(trial),
      );
      expect([known.code, known.said]).toEqual([0, expect.stringContaining("EXPECTED PAG-03")]);
      const stale = await run([...argv, await file("stale", "PAG-02\nPAG-03\n")], token(trial));
      expect([stale.code, stale.said]).toEqual([1, expect.stringContaining("out of date: PAG-02")]);
      const wrong = await run([...argv, await file("wrong", "PAG-99\n")], token(trial));
      expect(wrong.code).toBe(2);
      expect(wrong.warned).toContain("the file of --expect has lines that name no check: PAG-99.");
    }));
});

describe("reports", () => {
  it("hold the finding, escaped, and no token", () =>
    withProvider({}, async (trial) => {
      const evil = `<script>&"'\u001B[31m\u202E${trial.token}`;
      trial.provider.fault(
        {
          kind: "record",
          which: "all",
          set: { ChargeCategory: evil },
          when: { operation: "costs" },
        },
        { kind: "refusal", of: ["invalid-parameter"], echo: true },
      );
      const argv = ["--html", path("r.html"), "--junit", path("r.xml"), "--json", path("r.json")];
      const { code, said, warned, lines } = await run([...address(trial), ...argv], token(trial));
      expect(code).toBe(1);
      const [html = "", junit = "", json = ""] = await Promise.all(
        ["r.html", "r.xml", "r.json"].map((name) => readFile(path(name), "utf8")),
      );
      for (const text of [said, warned, lines.join(""), html, junit, json]) {
        expect(text).not.toContain(trial.token);
        expect(text).not.toMatch(/[\u001B\u202E]/);
      }
      expect(html).not.toContain("<script");
      expect(html).toContain("&lt;script&gt;");
      expect(junit).toMatch(/<failure message="[^"<]*&lt;script&gt;/);
      expect(junit).toContain("<skipped message=");
      const report: { checks: { id: string; verdict: string; seen: string | null }[] } =
        JSON.parse(json);
      expect(report.checks.find(({ id }) => id === "REC-04")).toMatchObject({ verdict: "failed" });
      expect(report.checks.find(({ id }) => id === "ERR-11")).toMatchObject({ verdict: "failed" });
      expect(lines.at(-1)).toBe("");
    }));
});

describe("files", () => {
  it("of accounts are refused in one sentence after the other, each with one point", async () => {
    const several = await file("accounts.json", '{"accounts":[]}');
    const { code, warned } = await run(["--config", several]);
    expect(code).toBe(2);
    expect(warned).toMatch(
      /^The check could not run: The config has a list .* of one account\.\n$/,
    );
  });

  it("are for others, too, as SECURITY.md says", () =>
    withProvider({}, async (trial) => {
      const own = ["html", "junit", "json", "state"].flatMap((name) => [
        `--${name}`,
        path(`open.${name}`),
      ]);
      await run([...address(trial), "--only", "CAP-01", ...own], token(trial));
      for (const name of ["html", "junit", "json", "state"])
        expect((await stat(path(`open.${name}`))).mode & 0o777).toBe(0o644 & ~process.umask());
      expect(await readFile(new URL("../SECURITY.md", import.meta.url), "utf8")).toContain(
        "Files of `conform` are for others, too (mode 0644)",
      );
    }));

  it("replace nothing but files of an earlier run, and that is said before the first request", () =>
    withProvider({}, async (trial) => {
      const config = await file("mine.json", '{"credentials":{"access_token":"s3cr3t"}}');
      const twice = path("twice");
      const outputs = ["--json", config, "--state", config, "--html", folder, "--junit"];
      const argv = [...address(trial), "--only", "CAP-01"];
      const { code, said, warned } = await run(
        [...argv, ...outputs, path("no/r.xml")],
        token(trial),
      );
      expect([code, said]).toEqual([2, ""]);
      expect(warned).toBe(
        `The check could not run: --html cannot be written to ${folder}: it is a folder; ` +
          `--junit cannot be written to ${path("no/r.xml")}: there is no such folder; ` +
          `--json cannot be written to ${config}: it holds something else, and only a file of an earlier run is replaced; ` +
          `--state cannot be written to ${config}: another option names it too.\n`,
      );
      const known = path("none.txt");
      const secrets = path("no.json");
      const all = await run(
        [...argv, "--html", folder, "--expect", known, "--oauth", secrets, "--state", config],
        token(trial),
      );
      expect(all.warned).toBe(
        `The check could not run: ${secrets} cannot be read: there is no such file or folder; ` +
          `${known} cannot be read: there is no such file or folder; --html cannot be written to ${folder}: it is a folder; ` +
          `--state cannot be written to ${config}: it holds something else, and only a file of an earlier run is replaced.\n`,
      );
      const state = await run([...argv, "--state", config], token(trial));
      expect(state.warned).toContain("only a file of an earlier run is replaced");
      expect(await readFile(config, "utf8")).toContain("s3cr3t");
      expect((await run([...argv, "--html", twice, "--json", twice], token(trial))).code).toBe(2);
      const own = ["--html", "--junit", "--json", "--state"].flatMap((option) => [
        option,
        path(`again${option}`),
      ]);
      for (let round = 1; round <= 2; round += 1) {
        expect(await run([...argv, ...own], token(trial))).toMatchObject({ code: 0, warned: "" });
      }
    }));

  it("takes address and token from the environment, under the older name too", () =>
    withProvider({}, async (trial) => {
      const only = ["--only", "CAP-01"];
      const environment = { AI_BILLING_BASE_URL: trial.baseUrl, AI_BILLING_TOKEN: trial.token };
      expect(await run(only, environment)).toMatchObject({ code: 0, warned: "" });
      expect(
        await run([...address(trial), ...only], { AI_BILLING_TOKEN: trial.token }),
      ).toMatchObject({ code: 0, warned: "" });
    }));

  it("sends the token of the usual config to no other address", () =>
    withProvider({}, async (trial) => {
      const config = { base_url: "https://a.example", credentials: { access_token: "secret-1" } };
      const asked: string[] = [];
      const sees = (name: string) => {
        asked.push(name);
        return Promise.resolve(config);
      };
      const { code, warned } = await run(address(trial), {}, false, sees);
      expect([code, asked]).toEqual([2, []]);
      expect(warned).toContain("a token is missing");
    }));

  it("takes address and token from a config, and compares with the run before", () =>
    withProvider({}, async (trial) => {
      const config = { base_url: trial.baseUrl, credentials: { access_token: trial.token } };
      const argv = ["--config", await file("config.json", JSON.stringify(config))];
      const state = ["--state", path("state.json"), "--only", "STB,AVL"];
      const first = await run([...argv, ...state]);
      expect(first).toMatchObject({ code: 0, said: expect.stringContaining("STB-06") });
      expect(await readFile(path("state.json"), "utf8")).not.toContain(trial.token);
      const second = await run([...argv, ...state]);
      expect(second.said).not.toContain("NOT VERIFIED");
    }));

  it("says that a refresh token may be spent, and does not blame the provider", () =>
    withProvider({ oauth: {} }, async (trial) => {
      const { clientId, clientSecret } = trial.provider.oauth().server.client;
      const content = {
        client_id: clientId,
        client_secret: clientSecret,
        refresh_token: "of-yesterday",
      };
      const oauth = await file("spent.json", JSON.stringify(content));
      const argv = [...address(trial), "--oauth", oauth, "--only", "OAU"];
      const { code, said } = await run(argv, token(trial));
      expect(code).toBe(0);
      expect(said).toContain(
        `OAU-08 OAU-09: needs a refresh token that is valid: the refresh token of ${oauth} is refused ` +
          "(invalid_grant). It may be spent: a run with --deep ends the sign-in. Sign in again and repeat\n",
      );
    }));

  it("keeps a new refresh token", () =>
    withProvider({ oauth: {} }, async (trial) => {
      const { server } = trial.provider.oauth();
      const scopes = ["billing.account.read", "billing.usage.read", "billing.cost.read"] as const;
      const { refreshToken } = await server.issue("generated", scopes);
      const { clientId, clientSecret } = server.client;
      const content = {
        client_id: clientId,
        client_secret: clientSecret,
        refresh_token: refreshToken,
        note: "ours",
      };
      const oauth = await file("oauth.json", JSON.stringify(content));
      await link(oauth, path("before.json"));
      const argv = [...address(trial), "--oauth", oauth, "--only", "OAU"];
      for (let round = 1; round <= 2; round += 1) {
        const { code, said } = await run(argv, token(trial));
        expect([code, said]).toEqual([0, expect.stringContaining("9 passed, 1 not verified")]);
      }
      const kept: unknown = JSON.parse(await readFile(oauth, "utf8"));
      expect(kept).toMatchObject({ client_id: clientId, note: "ours" });
      expect(kept).not.toMatchObject({ refresh_token: refreshToken });
      // The file was replaced by a whole one: writing into it would leave half a file on a full disk.
      expect(await readFile(path("before.json"), "utf8")).toBe(JSON.stringify(content));
    }));

  it("spends no refresh token if the new one could not be kept", () =>
    withProvider({ oauth: {} }, async (trial) => {
      await mkdir(path("closed"));
      const content = { client_id: "a", refresh_token: "b" };
      const oauth = await file("closed/oauth.json", JSON.stringify(content));
      await chmod(path("closed"), 0o500);
      // root may write to every folder, so the system is asked first.
      const isRefused = await access(path("closed"), constants.W_OK).then(
        () => false,
        () => true,
      );
      const argv = [...address(trial), "--oauth", oauth, "--only", "CAP-01"];
      const { code, warned } = await run(argv, token(trial));
      await chmod(path("closed"), 0o700);
      expect(code).toBe(isRefused ? 2 : 0);
      expect(warned.includes("so a new refresh token would be lost: this user has no")).toBe(
        isRefused,
      );
    }));
});
