import { decimal } from "./format.ts";
import { type Markup, markup } from "./markup.ts";

const NUMBER = /^-?\d+(\.\d+)?$/;

/** A table with its titles. Columns of decimals are aligned to the right. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): Markup {
  const numeric = titles.map((_, column) => rows.every((row) => NUMBER.test(row[column] ?? "")));
  const kind = (column: number): string => (numeric[column] === true ? "number" : "text");
  const head = titles.map(
    (title, column) => markup`<th scope="col" class="${kind(column)}">${title}</th>`,
  );
  const body = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const text = numeric[column] === true ? decimal(cell) : cell;
      return markup`<td class="${kind(column)}">${text}</td>`;
    });
    return markup`<tr>${cells}</tr>`;
  });
  return markup`
<table>
<thead><tr>${head}</tr></thead>
<tbody>
${body}
</tbody>
</table>`;
}
