/** Tables that the page makes itself. They are built from elements, so that the browser never reads data as HTML. */

import { shortName } from "../format.ts";

export type Cell = string | HTMLElement;

/** A name that may be too long for a line: the element says all of it. */
export function nameElement(name: string): HTMLElement {
  const element = document.createElement("span");
  element.textContent = shortName(name);
  if (element.textContent !== name) element.title = name;
  return element;
}

/** A table whose first columns are text and the others numbers. */
export function tableOf(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  texts = 1,
): HTMLTableElement {
  const table = document.createElement("table");
  const kind = (column: number): string => (column < texts ? "text" : "number");
  const head = table.createTHead().insertRow();
  for (const [column, title] of titles.entries()) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.className = kind(column);
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const [column, content] of row.entries()) {
      const cell = line.insertCell();
      cell.className = kind(column);
      cell.append(content);
    }
  }
  return table;
}
