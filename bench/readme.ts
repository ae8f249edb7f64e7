/** Copies the table of RESULTS.md into the README. */
const BEGIN = "<!-- The table of bench/RESULTS.md, put here by `npm run bench`. -->\n\n";
const END = "<!-- End of the table. -->";

/**
 * The README with the table of `results`.
 *
 * @throws Error if the README has no place for the table
 */
export function withTable(readme: string, results: string): string {
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error("README.md lost its place for the table");
  return `${before}${BEGIN}${results.slice(results.indexOf("| What"))}\n${END}${after}`;
}
