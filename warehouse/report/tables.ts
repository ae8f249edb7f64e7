import { decimal, longDate, money, shortName, signedMoney } from "./format.ts";
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

/** A name that may be too long for a line: the element says all of it. */
export const nameOf = (name: string): Markup => {
  const short = shortName(name);
  return short === name ? markup`${name}` : markup`<span title="${name}">${short}</span>`;
};

/** A day in words; the element has it as a date. */
export const dayOf = (day: string): Markup =>
  markup`<time datetime="${day}">${longDate(day)}</time>`;

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
      return markup`<td class="${kinds[column] ?? ""}" data-title="${columns[column]?.title ?? ""}">${text}</td>`;
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
