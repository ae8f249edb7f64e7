/** Writes the report: one file that needs no network. Its content security policy forbids network access. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { documentBody } from "./document.ts";
import { json, Markup, markup } from "./markup.ts";
import type { ReportData } from "./model.ts";

const file = (name: string): string => fileURLToPath(new URL(`page/${name}`, import.meta.url));

/** The page's script together with the charting library. */
async function script(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file("main.ts")],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  // This text would end the `script` element.
  return (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
}

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** @param path the file to write; an existing file is replaced */
export async function writeReport(path: string, data: ReportData): Promise<void> {
  const [code, css] = await Promise.all([script(), readFile(file("page.css"), "utf8")]);
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
<title>AI spend at ${data.provider}</title>
<link rel="icon" href="data:,">
<style>${new Markup(css)}</style>
</head>
<body>
${documentBody(data)}
<script type="application/json" id="data">${json(data)}</script>
<script>${new Markup(code)}</script>
</body>
</html>`;
  await writeFile(path, `${document.text}\n`);
}
