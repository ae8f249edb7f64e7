import {
  access,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { constants, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import { findAt, REPORT_MARK } from "./found.ts";
import { query } from "./query.ts";
import { partsOf } from "./testing.ts";
import { copyFromDuckDB } from "./raw_tables.ts";
import { assertMayWrite, replaceReport } from "./report/write.ts";

let folder: string;
const path = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "found-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A database with one table. */
async function database(
  name: string,
  statements = "CREATE TABLE kept AS SELECT 1 AS one",
): Promise<string> {
  const made = await Database.open(path(name), "write");
  await made.run(statements);
  made.close();
  return path(name);
}

const modeOf = async (name: string): Promise<number> => (await stat(path(name))).mode & 0o777;

const OTHERS = [
  ["config.json", '{ "credentials": {} }', "a JSON file"],
  ["teams.csv", "label,value,team\nx,y,z\n", "a CSV file"],
  ["notes.txt", "some notes", "a text file"],
  ["page.html", "<!doctype html>\n<title>mine</title>", "a web page"],
  ["old.sqlite", "SQLite format 3\0", "an SQLite database"],
  ["image", "\u0001\0\u0002", "a binary file"],
] as const;

/** The first lines of a page of 0.2.0. */
const PAGE_0_2_0 =
  '<!doctype html>\n<html lang="en-US">\n<head>\n<meta charset="utf-8">\n' +
  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-x'\">\n";

describe("a database", () => {
  it.each(OTHERS)("is not opened at %s, whose kind is named", async (name, text, words) => {
    await writeFile(path(name), text);
    for (const mode of ["write", "read"] as const) {
      await expect(Database.open(path(name), mode)).rejects.toThrow(
        `is ${words}, no DuckDB database`,
      );
    }
    expect(await readFile(path(name), "utf8")).toBe(text);
  });

  it("is not opened at a report, a folder or a device", async () => {
    await writeFile(path("report.html"), `<!doctype html>\n${REPORT_MARK}`);
    await mkdir(path("folder"));
    await expect(Database.open(path("report.html"), "write")).rejects.toThrow(
      "a report of this program",
    );
    await expect(Database.open(path("folder"), "write")).rejects.toThrow("a folder");
    await expect(Database.open("/dev/null", "write")).rejects.toThrow("a device");
    expect(existsSync("/dev/null")).toBe(true);
  });

  it.each([":memory:", ":memory:x", "md:cloud", "postgresql://me:s3cr3t@host/db"])(
    "is not kept at the address %s, which is not repeated",
    async (address) => {
      const failed = Database.open(address, "write");
      await expect(failed).rejects.toThrow(/needs the name of a DuckDB file(?!.*s3cr3t)/);
    },
  );

  it("takes the place of an empty file, whose mode and link stay", async () => {
    await writeFile(path("real.duckdb"), "", { mode: 0o640 });
    await symlink(path("real.duckdb"), path("link.duckdb"));
    await database("link.duckdb");
    expect((await lstat(path("link.duckdb"))).isSymbolicLink()).toBe(true);
    expect(findAt(path("real.duckdb")).kind).toBe("database");
    expect(await modeOf("real.duckdb")).toBe(0o640);
  });

  it("that is an empty file has nothing to be read yet", async () => {
    await writeFile(path("empty.duckdb"), "");
    await expect(Database.open(path("empty.duckdb"), "read")).rejects.toThrow(
      "no sync has written",
    );
    expect((await stat(path("empty.duckdb"))).size).toBe(0);
  });
});

describe("a report", () => {
  it("replaces nothing, an empty file, and a report, also one of 0.2.0", async () => {
    await writeFile(path("empty.html"), "");
    await writeFile(path("new.html"), `<!doctype html>\n${REPORT_MARK}`);
    await writeFile(path("old.html"), PAGE_0_2_0);
    for (const name of ["absent.html", "empty.html", "new.html", "old.html"]) {
      await expect(assertMayWrite(path(name), "--out")).resolves.toBeUndefined();
    }
  });

  it.each(OTHERS)("does not replace %s", async (name, text, words) => {
    await writeFile(path(name), text);
    await expect(assertMayWrite(path(name), "--out")).rejects.toThrow(
      `it is ${words}, and a report replaces only a report. Name another file with --out`,
    );
  });

  it("is for its owner only, and one that is replaced keeps its mode and its link", async () => {
    await replaceReport(path("report.html"), `<!doctype html>\n${REPORT_MARK}1`);
    expect(await modeOf("report.html")).toBe(0o600);
    await chmod(path("report.html"), 0o644);
    await symlink(path("report.html"), path("link.html"));
    await replaceReport(path("link.html"), `<!doctype html>\n${REPORT_MARK}2`);
    expect((await lstat(path("link.html"))).isSymbolicLink()).toBe(true);
    expect(await readFile(path("report.html"), "utf8")).toContain(`${REPORT_MARK}2`);
    expect(await modeOf("report.html")).toBe(0o644);
    expect(await readdir(folder)).toEqual(["link.html", "report.html"]);
  });

  it("does not replace a file that took its place during the work", async () => {
    await writeFile(path("config.json"), "{}");
    await expect(replaceReport(path("config.json"), "page")).rejects.toThrow("no report any more");
    expect(await readFile(path("config.json"), "utf8")).toBe("{}");
  });

  it("that could not be renamed into its place is refused before anything is read", async () => {
    const page = path("report.html");
    await writeFile(page, REPORT_MARK);
    const mounts = path("mountinfo");
    await writeFile(mounts, `36 35 98:0 /mnt ${await realpath(page)} rw - ext4 /dev/root rw\n`);
    await expect(assertMayWrite(page, "--report", mounts)).rejects.toThrow(
      "mounted without its folder: mount the folder instead. Name another file with --report. Nothing was read",
    );
    // root may write to every folder, so the system is asked first.
    await chmod(folder, 0o500);
    const isRefused = await access(folder, constants.W_OK).then(
      () => false,
      () => true,
    );
    const said = await assertMayWrite(page, "--report").then(() => "", String);
    await chmod(folder, 0o700);
    expect(said.includes("this user has no permission")).toBe(isRefused);
  });

  it("does not replace a database, and is not written to a folder that is missing", async () => {
    await database("billing.duckdb");
    const failed = assertMayWrite(path("billing.duckdb"), "--report");
    await expect(failed).rejects.toThrow("it is a DuckDB database");
    await expect(assertMayWrite(path("no/report.html"), "--report")).rejects.toThrow(
      "there is no such folder",
    );
  });
});

describe("a statement of a user", () => {
  it.each([
    "COPY kept TO 'stolen.csv'",
    "EXPORT DATABASE 'stolen'",
    "ATTACH 'other.duckdb' AS other (READ_WRITE)",
    "SELECT * FROM read_text('secret.txt')",
    "INSTALL httpfs",
    "SET enable_external_access = true",
    "DELETE FROM kept",
  ])("%s changes and reads no other file", async (statement) => {
    const file = await database("billing.duckdb");
    await writeFile(path("secret.txt"), "s3cr3t");
    const sql = statement.replaceAll(/'([^']+)'/g, (_, name: string) => `'${path(name)}'`);
    await expect(partsOf(query(file, sql, "text"))).rejects.toThrow(/^(?!.*s3cr3t)/);
    for (const name of ["stolen.csv", "stolen", "other.duckdb"])
      expect(existsSync(path(name))).toBe(false);
    expect(await partsOf(query(file, "SELECT one FROM kept", "text"))).toEqual(["one\n  1\n"]);
  });

  it("in a view of a foreign database reads no file of this user", async () => {
    await writeFile(path("secret.txt"), "s3cr3t");
    const tables = ["usage", "export_windows"].map(
      (name) => `CREATE TABLE ${name} (x_RecordId VARCHAR);`,
    );
    const view = `CREATE VIEW costs AS SELECT content AS x_RecordId FROM read_text('${path("secret.txt")}')`;
    const file = await database("foreign.duckdb", `${tables.join("")} ${view}`);
    const memory = await Database.inMemory();
    await expect(copyFromDuckDB(memory, file, "main")).rejects.toThrow("asks for another file");
    memory.close();
  });
});
