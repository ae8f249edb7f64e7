import { formatInstant } from "../instants.ts";
import type { Outcome } from "../run.ts";
import { escaped } from "./escape.ts";
import { byGroup, conclusion, countsText, INTERFACE } from "./report.ts";
import type { Report } from "./report.ts";

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b1f24; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #d0d7de; }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .2rem .8rem; margin: .4rem 0; } dt { color: #57606a; } dd { margin: 0; overflow-wrap: anywhere; }
code { font: 14px ui-monospace, monospace; } .verdict { white-space: nowrap; font-weight: 600; }
.failed { color: #b3261e; } .warning { color: #8a5300; } .passed { color: #1a6b33; } .skipped { color: #57606a; }
article { border-left: 4px solid currentColor; padding: .2rem 0 .2rem 1rem; margin: 1rem 0; } article > * { color: #1b1f24; } article h3 { font-size: 1rem; margin: 0; }
@media (prefers-color-scheme: dark) { body, article > * { color: #e6edf3; background: #0d1117; } .failed { color: #ff8d85; } .warning { color: #e3b341; } .passed { color: #6fd08c; } dt, .skipped { color: #9da7b1; } }
`;

function classOf({ verdict }: Outcome): string {
  return verdict === "not verified" ? "skipped" : verdict;
}

function wordOf({ verdict, expected }: Outcome): string {
  return expected ? "expected to fail" : verdict;
}

function definition(name: string, text: string | undefined): string {
  return text === undefined ? "" : `<dt>${name}</dt><dd>${escaped(text)}</dd>`;
}

function finding(outcome: Outcome): string {
  const { check, finding: found } = outcome;
  return `<article class="${classOf(outcome)}" id="${check.id}">
<h3>${check.id} ${escaped(check.title)}</h3>
<dl>${definition("verdict", wordOf(outcome))}${definition("clause", check.clause)}${definition("seen", found?.seen)}${definition("expected", found?.expected)}${definition("request", found?.request)}${definition("status", found?.status === undefined ? undefined : String(found.status))}${definition("protects", check.protects)}${definition("mend", check.mend)}</dl>
</article>`;
}

function row(outcome: Outcome): string {
  const { check, missing } = outcome;
  const needs = missing === undefined ? "" : `<br><small>${escaped(missing)}</small>`;
  const id = outcome.finding === undefined ? check.id : `<a href="#${check.id}">${check.id}</a>`;
  return `<tr><td><code>${id}</code></td><td>${escaped(check.title)}${needs}</td><td>${escaped(check.clause)}</td><td class="verdict ${classOf(outcome)}">${wordOf(outcome)}</td></tr>`;
}

/** The report as one HTML page that loads nothing and runs nothing. */
export function htmlReport(report: Report): string {
  const { outcomes, baseUrl, version, started, requests } = report;
  const found = outcomes.filter((outcome) => outcome.finding !== undefined);
  const groups = byGroup(report).map(
    ([, name, own]) =>
      `<h2>${escaped(name)}: ${escaped(countsText(own))}</h2>\n<table><thead><tr><th>check</th><th>rule</th><th>clause</th><th>verdict</th></tr></thead>\n<tbody>${own.map(row).join("\n")}</tbody></table>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escaped(baseUrl)}</title><style>${STYLE}</style></head>
<body>
<h1>Conformance of ${escaped(baseUrl)}</h1>
<p><strong>${escaped(conclusion(report))}</strong> ${escaped(countsText(outcomes))}.</p>
<p>${escaped(INTERFACE)}, checked by version ${escaped(version)} at ${formatInstant(started)} with ${requests} requests. A check that is not verified is not passed.</p>
${found.length === 0 ? "" : `<h2>What to mend</h2>\n${found.map(finding).join("\n")}`}
${groups.join("\n")}
</body>
</html>
`;
}
