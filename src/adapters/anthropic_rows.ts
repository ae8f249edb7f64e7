/** Members that the rows of both of Anthropic's APIs have. */
import { foreignText } from "../core/foreign_text.ts";
import { decimalOf, type JsonObject } from "./exact.ts";
import { less, type Meter, quantityIn } from "./meters.ts";
import { having, objectIn, reportFault, textIn } from "./shape.ts";

/** Token types of costs in the interface's words. */
export const TOKEN_TYPES: Readonly<Record<string, string>> = {
  uncached_input_tokens: "input_tokens",
  output_tokens: "output_tokens",
  cache_read_input_tokens: "cache_read_tokens",
  "cache_creation.ephemeral_5m_input_tokens": "cache_write_5m_tokens",
  "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h_tokens",
};

/** Quantities that each row of usage has. */
const TOKENS = ["uncached_input_tokens", "output_tokens", "cache_read_input_tokens"];
const DEMANDED = [...TOKENS, "cache_creation"];

/** Cache writes that have a usage type of the interface. Others would be counted by their own names. */
export const WRITES = new Set(["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"]);

/** The meters of a row's usage, which both APIs have alike. */
export function metersOf(row: JsonObject): Meter[] {
  const usage = having(row, DEMANDED);
  const writes = objectIn(usage, "cache_creation");
  const tools = objectIn(usage, "server_tool_use");
  const tokens = (usageType: string, name: string, from: JsonObject, member: string): Meter => ({
    usageType,
    name,
    unit: "Tokens",
    quantity: quantityIn(from, member),
  });
  return [
    tokens("input_tokens", "Input Tokens", usage, "uncached_input_tokens"),
    tokens("output_tokens", "Output Tokens", usage, "output_tokens"),
    tokens("cache_read_tokens", "Cache Read Tokens", usage, "cache_read_input_tokens"),
    tokens(
      "cache_write_5m_tokens",
      "Cache Write Tokens (5 min)",
      writes,
      "ephemeral_5m_input_tokens",
    ),
    tokens(
      "cache_write_1h_tokens",
      "Cache Write Tokens (1 h)",
      writes,
      "ephemeral_1h_input_tokens",
    ),
    ...counted(writes, "Tokens").filter(({ name }) => !WRITES.has(name)),
    tokensOfOtherKinds(usage, writes),
    ...counted(tools, "Requests"),
    {
      usageType: "requests",
      name: "Requests",
      unit: "Requests",
      quantity: quantityIn(usage, "requests"),
    },
  ];
}

/** The rest of `total_tokens`: a kind of token that is newer than this code. The older API has no total. */
function tokensOfOtherKinds(usage: JsonObject, writes: JsonObject): Meter {
  const parts = [
    ...TOKENS.map((name) => quantityIn(usage, name)),
    ...Object.keys(writes).map((name) => quantityIn(writes, name)),
  ];
  const rest = less(quantityIn(usage, "total_tokens"), ...parts);
  const quantity = rest?.startsWith("-") === true ? null : rest;
  return { usageType: "x_other_tokens", name: "Other Tokens", unit: "Tokens", quantity };
}

/** Quantities that are counted by the names that the provider gives them. */
function counted(parent: JsonObject, unit: string): Meter[] {
  return Object.keys(parent).map((name) => {
    if (!/^[A-Za-z0-9_]{1,60}$/.test(name))
      throw reportFault(`it counts something by the name "${foreignText(name)}"`);
    return { usageType: `x_${name}`, name, unit, quantity: quantityIn(parent, name) };
  });
}

/** Costs come in fractional cents as text: the point moves two places, and no digit changes. */
export function amountsOf(cost: JsonObject): Record<string, string> {
  const cents = textIn(cost, "amount");
  if (cents === null) return {};
  const dollars = decimalOf(cents, -2);
  return { BilledCost: dollars, EffectiveCost: dollars };
}

export function currencyOf(cost: JsonObject): Record<string, string> {
  const currency = textIn(cost, "currency");
  return currency === null ? {} : { BillingCurrency: currency.toUpperCase() };
}
