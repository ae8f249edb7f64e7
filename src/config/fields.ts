/** The kinds of values that the config's form has (design section 5), each with the rule that a message names. */
import * as z from "zod";
import { addressFault } from "./address.ts";
import { parseDate, parseInstant } from "../core/time.ts";
import { placeholderRule, tokenRule } from "./token_rule.ts";

/** The form offers dates only: a validator that knows `format: date` refuses instants, whatever the pattern says. */
export const FORM_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/** The shape of a date or of an instant in UTC, which a config file may hold too. */
const DATE_OR_INSTANT =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|\+00:00))?$/;

/**
 * Reads a date (as its midnight in UTC) or an instant in UTC.
 *
 * @returns Milliseconds since 1970; `undefined` if the text is neither.
 */
export function instantOf(text: string): number | undefined {
  return parseDate(text) ?? parseInstant(text);
}

/** A text with a check of its own. `ruleFor` names the rule that the text breaks; a rule never quotes the text. */
export function checkedText(ruleFor: (value: string) => string | undefined) {
  return z.string().superRefine((value, context) => {
    const rule = ruleFor(value);
    if (rule !== undefined) context.addIssue({ code: "custom", message: rule });
  });
}

function dateFault(value: string): string | undefined {
  if (instantOf(value) !== undefined) return undefined;
  if (DATE_OR_INSTANT.test(value)) return "names a day or a time that does not exist";
  if (/[+-]\d{2}:?\d{2}$/.test(value) && value.includes(":")) {
    return "must be in UTC (ending in Z), not at another offset";
  }
  return "must be a date such as 2026-01-31, or an instant in UTC such as 2026-01-31T00:00:00Z";
}

export const date = () => checkedText(dateFault);
export const address = () => checkedText((value) => addressFault(value, { query: true }));

export const token = () => checkedText(tokenRule);

/** A text that the provider gives to a person, who replaces the example with it. */
export const pasted = (required = "is required") =>
  z
    .string({ error: ({ input }) => (input === undefined ? required : undefined) })
    .min(1)
    .superRefine((value, context) => {
      const rule = placeholderRule(value);
      if (rule !== undefined) context.addIssue({ code: "custom", message: rule });
    });

export const SIGN_IN =
  "is required: sign in with the button of the platform, or in a shell with `source-ai-billing login --config <file>`";

/** A whole number from `least` to `most`; without `most` there is no upper limit. */
export function wholeNumber(least: number, most?: number) {
  const rule =
    most === undefined
      ? `must be a whole number, ${least} or more`
      : `must be a whole number from ${least} to ${most}`;
  const number = z.int(rule).min(least, rule);
  return most === undefined ? number : number.max(most, rule);
}
