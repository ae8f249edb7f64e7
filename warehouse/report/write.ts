/** Writes the report: one file that needs no network. Its content security policy forbids network access. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { faultOfReplacing, replaceFile } from "../../src/config/replace_file.ts";
import { ConnectorError } from "../../src/errors.ts";
import { codeOf, reasonOf } from "../../src/file_faults.ts";
import { reportScript, reportStyle } from "../files.ts";
import { findAt, type FoundKind, REPORT_MARK } from "../found.ts";
import { documentBody, titleOf } from "./document.ts";
import { json, Markup, markup } from "./markup.ts";
import type { ReportData } from "./model.ts";

/** The page's script, for a `script` element. A `</script` in its text would end the element, and is escaped. */
const script = async (): Promise<string> =>
  (await reportScript()).replaceAll("</script", "<\\/script");

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * Checks before the work begins whether {@link writeReport} may write. A report replaces a report, and nothing else: a file of
 * another kind may be the only copy of what it holds.
 *
 * @param mounts see {@link faultOfReplacing}
 * @throws ConnectorError `invalid_arguments` that says what the path holds
 */
export async function assertMayWrite(path: string, option: string, mounts?: string): Promise<void> {
  const { kind, words } = findAt(path);
  if (!REPLACED.has(kind))
    throw refused(path, option, `it is ${words}, and a report replaces only a report`);
  const file = await realpath(path).catch(() => resolve(path));
  const fault = (await faultOfAccess(file, kind)) ?? (await faultOfReplacing(file, mounts));
  if (fault === undefined) return;
  const why = fault === "ENOENT" ? "there is no such folder" : reasonOf({ code: fault });
  throw refused(path, option, why);
}

/** A report that this user may not write stays, although its folder would allow to replace it. */
async function faultOfAccess(file: string, kind: FoundKind): Promise<string | undefined> {
  if (kind === "nothing") return undefined;
  return await access(file, constants.W_OK).then(() => undefined, codeOf);
}

const REPLACED: ReadonlySet<FoundKind> = new Set(["nothing", "empty", "report"]);

const refused = (path: string, option: string, why: string): ConnectorError =>
  new ConnectorError(
    "invalid_arguments",
    `The report cannot be written to "${path}": ${why}. Name another file with ${option}. Nothing was read or written.`,
  );

/**
 * Writes the report beside the file and then renames it, so that a full disk leaves the earlier report whole. A file keeps its mode,
 * and a link stays a link. A new file is for its owner only.
 *
 * @throws ConnectorError `database` if the file cannot be written
 */
export async function writeReport(path: string, data: ReportData): Promise<void> {
  const [code, css] = await Promise.all([script(), reportStyle()]);
  // The library positions tooltips by inline styles.
  const policy = `default-src 'none'; script-src ${hashOf(code)}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
  const document = markup`
<!doctype html>
<html lang="en-US">
<head>
<meta charset="utf-8">
${new Markup(REPORT_MARK)}
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(data.providers)}</title>
<link rel="icon" href="data:,">
<style>${new Markup(css)}</style>
</head>
<body>
${documentBody(data)}
<script type="application/json" id="data">${json(data)}</script>
<script>${new Markup(code)}</script>
</body>
</html>`;
  try {
    await replaceReport(path, `${document.text}\n`);
  } catch (reason) {
    throw new ConnectorError(
      "database",
      `The report "${path}" cannot be written: ${reasonOf(reason)}.`,
      { cause: reason },
    );
  }
}

/** Replaces a report, or makes one. @throws the error of the file system; TypeError if the path holds something else by now */
export async function replaceReport(path: string, text: string): Promise<void> {
  if (!REPLACED.has(findAt(path).kind)) throw new TypeError("the path holds no report any more");
  const file = await realpath(path).catch(() => path);
  const mode = await stat(file).then(
    (stats) => stats.mode,
    () => undefined,
  );
  await replaceFile(file, text, mode);
}
