import { decimal, money, signedMoney } from "./format.ts";
import { type Markup, markup } from "./markup.ts";

/** Digits after the point of money, until people ask for more. */
export const DIGITS = 2;

/** Money whose digits the page can change: the exact amount stays in the element. */
export const amount = (exact: string): Markup =>
  markup`<data class="money" value="${exact}">${money(exact, DIGITS)}</data>`;

/** The same, with its sign. */
export const change = (exact: string): Markup =>
  markup`<data class="money signed" value="${exact}">${signedMoney(exact, DIGITS)}</data>`;

type Cell = string | number | Markup;

/** A column of a table: numbers and money stand at the right. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** A table with its titles. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Markup {
  const kinds = columns.map(({ isNumber }) => (isNumber === true ? "number" : "text"));
  const head = columns.map(
    ({ title }, column) => markup`<th scope="col" class="${kinds[column] ?? ""}">${title}</th>`,
  );
  const body = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const text = typeof cell === "number" ? decimal(String(cell)) : cell;
      return markup`<td class="${kinds[column] ?? ""}">${text}</td>`;
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
