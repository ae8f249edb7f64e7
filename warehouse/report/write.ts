/** Writes the report: one file that needs no network. Its content security policy forbids network access. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { ConnectorError } from "../../src/errors.ts";
import { reportScript, reportStyle } from "../files.ts";
import { documentBody, titleOf } from "./document.ts";
import { json, Markup, markup } from "./markup.ts";
import type { ReportData } from "./model.ts";

/** The page's script, which is put into a `script` element that this text would end. */
const script = async (): Promise<string> =>
  (await reportScript()).replaceAll("</script", "<\\/script");

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * @param path the file to write; an existing file is replaced
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
    await writeFile(path, `${document.text}\n`);
  } catch (reason) {
    const fault = reason instanceof Error && "code" in reason ? String(reason.code) : "unknown";
    throw new ConnectorError("database", `The report "${path}" cannot be written (${fault}).`, {
      cause: reason,
    });
  }
}
