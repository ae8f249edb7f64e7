/** Tooltips and legends. They are built from elements, so that the browser never reads data as HTML. */

import { shortName } from "../format.ts";
import { nameElement } from "./tables.ts";

/** A color, its name, and a figure. */
export interface Entry {
  readonly color?: string;
  readonly name: string;
  readonly figure?: string;
}

function swatch(color: string): HTMLElement {
  const element = document.createElement("i");
  element.style.setProperty("--color", color);
  return element;
}

function line({ color, name, figure }: Entry): HTMLElement {
  const element = document.createElement("div");
  if (color !== undefined) element.append(swatch(color));
  element.append(shortName(name));
  if (figure !== undefined) {
    const number = document.createElement("b");
    number.textContent = figure;
    element.append(number);
  }
  return element;
}

/** The content of a tooltip: a title, its entries, and their sum. */
export function tip(title: string, entries: readonly Entry[], total?: Entry): HTMLElement {
  const element = document.createElement("div");
  element.className = "tip";
  const heading = document.createElement("p");
  heading.textContent = title;
  element.append(heading, ...entries.map(line));
  if (total !== undefined) {
    const sum = line(total);
    sum.className = "total";
    element.append(sum);
  }
  return element;
}

/** Fills the legend of a figure. */
export function showLegend(figure: HTMLElement, entries: readonly Entry[]): void {
  const legend = figure.querySelector<HTMLElement>(".legend");
  if (legend === null) return;
  legend.hidden = false;
  legend.replaceChildren(
    ...entries.map(({ color = "", name }) => {
      const element = document.createElement("span");
      element.append(swatch(color), nameElement(name));
      return element;
    }),
  );
}
