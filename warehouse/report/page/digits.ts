/** How many digits of money the page shows. Each amount keeps its exact decimal in its element. */
import { money, signedMoney } from "../format.ts";

const FEW = 2;
const MANY = 4;

let digits = FEW;

/** Money as the page shows it now. */
export const shown = (exact: string): string => money(exact, digits);

/** The same, with its sign. */
const shownChange = (exact: string): string => signedMoney(exact, digits);

/** An element with an amount, whose digits follow the choice. */
export function moneyElement(exact: string, isSigned = false): HTMLElement {
  const element = document.createElement("data");
  element.className = isSigned ? "money signed" : "money";
  element.value = exact;
  element.textContent = isSigned ? shownChange(exact) : shown(exact);
  return element;
}

/** Lets the button of the page switch between two and four digits. */
export function listenForDigits(): void {
  const button = document.querySelector<HTMLButtonElement>("#digits");
  button?.addEventListener("click", () => {
    digits = digits === FEW ? MANY : FEW;
    button.ariaPressed = String(digits === MANY);
    for (const element of document.querySelectorAll<HTMLDataElement>("data.money")) {
      const isSigned = element.classList.contains("signed");
      element.textContent = isSigned ? shownChange(element.value) : shown(element.value);
    }
  });
}
