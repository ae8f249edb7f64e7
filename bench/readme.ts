/** Copies tables of this folder into the README. */
const begin = (file: string): string =>
  `<!-- The table of bench/${file}, put here by the bench. -->\n\n`;
const END = "<!-- End of the table. -->";

/**
 * The README with the table of a file.
 *
 * @param file the name of the file, such as `RESULTS.md`
 * @param results the text of the file
 * @throws Error if the README has no place for the table
 */
export function withTable(readme: string, file: string, results: string): string {
  const from = readme.indexOf(begin(file));
  const to = readme.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`README.md lost its place for the table of ${file}`);
  const table = results.slice(results.indexOf("| What"));
  return `${readme.slice(0, from)}${begin(file)}${table}\n${readme.slice(to)}`;
}
