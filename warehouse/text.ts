/** Rows under their titles, as aligned text. */

/** `right` for numbers. Decimals align if all cells of the column have equally many digits after the point. */
export interface TextColumn {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** One line for the titles and one for each row, each column as wide as its widest cell. */
export function alignedLines(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
): string[] {
  const widths = columns.map(({ title }, index) =>
    rows.reduce((widest, row) => Math.max(widest, row[index]?.length ?? 0), title.length),
  );
  const aligned = (row: readonly string[]): string =>
    columns
      .map(({ align }, index) => {
        const cell = row[index] ?? "";
        const width = widths[index] ?? 0;
        return align === "right" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [columns.map(({ title }) => title), ...rows].map(aligned);
}
