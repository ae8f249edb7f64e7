/** Copies tables of this folder into docs/speed.md. */
const begin = (file: string): string =>
  `<!-- The table of bench/${file}, put here by the bench. -->\n\n`;
const END = "<!-- End of the table. -->";

/**
 * The page with the table of a file.
 *
 * @param file the name of the file, such as `RESULTS.md`
 * @param results the text of the file
 * @throws Error if the page has no place for the table
 */
export function withTable(page: string, file: string, results: string): string {
  const from = page.indexOf(begin(file));
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`docs/speed.md lost its place for the table of ${file}`);
  const table = results.slice(results.indexOf("| What"));
  return `${page.slice(0, from)}${begin(file)}${table}\n${page.slice(to)}`;
}
