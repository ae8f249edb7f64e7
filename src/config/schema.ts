/**
 * The one zod schema of the configuration (design section 5). src/config/config.ts parses with it, and
 * scripts/specification.ts turns it into spec.json, from which a platform makes its form. Titles and descriptions are
 * written for that form. The protocol's own keywords (`order`, `group`, `airbyte_secret`, …) go into spec.json unchanged.
 */
import * as z from "zod";
import { addressFault } from "./address.ts";
import { parseDate, parseInstant } from "../core/time.ts";

const DATE_PATTERN =
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|\\+00:00))?$";

/** A date (its midnight UTC) or an instant in UTC, in milliseconds since 1970; `undefined` if the text is neither. */
export function instantOf(text: string): number | undefined {
  return parseDate(text) ?? parseInstant(text);
}

/** A text with a check of its own. `faultOf` gives the broken rule, which never quotes the text. */
function checkedText(faultOf: (value: string) => string | undefined) {
  return z.string().superRefine((value, context) => {
    const rule = faultOf(value);
    if (rule !== undefined) context.addIssue({ code: "custom", message: rule });
  });
}

function dateFault(value: string): string | undefined {
  if (instantOf(value) !== undefined) return undefined;
  if (new RegExp(DATE_PATTERN).test(value)) return "names a day or a time that does not exist";
  if (/[+-]\d{2}:?\d{2}$/.test(value) && value.includes(":")) {
    return "must be in UTC (ending in Z), not at another offset";
  }
  return "must be a date such as 2026-01-31, or an instant in UTC such as 2026-01-31T00:00:00Z";
}

const date = () => checkedText(dateFault);
const address = () => checkedText((value) => addressFault(value, { query: true }));

/** A token goes into a header unchanged. A space or a line break, often pasted with it, would break the request. */
const token = () =>
  checkedText((value) => {
    if (value === "") return "must not be empty";
    return /^[!-~]+$/.test(value) ? undefined : "must be one word without spaces or line breaks";
  });

/** A whole number; `most` is absent if neither the interface nor the connector has a limit. */
function wholeNumber(least: number, most?: number) {
  const rule =
    most === undefined
      ? `must be a whole number, ${least} or more`
      : `must be a whole number from ${least} to ${most}`;
  const number = z.int(rule).min(least, rule);
  return most === undefined ? number : number.max(most, rule);
}

const oauthSchema = z
  .looseObject({
    auth_type: z.literal("oauth2_authorization_code").meta({ order: 0 }),
    client_id: z.string().min(1).meta({
      title: "Client ID",
      description: "The identifier that the provider gave to your OAuth application.",
      order: 1,
    }),
    client_secret: z.string().min(1).optional().meta({
      title: "Client Secret",
      description: "The secret of your OAuth application. A public client has none.",
      airbyte_secret: true,
      order: 2,
    }),
    refresh_token: z.string().min(1).meta({
      title: "Refresh Token",
      description:
        "The token that new access tokens are obtained with. Where the provider replaces it, the connector hands the new one to the platform.",
      airbyte_secret: true,
      order: 3,
    }),
    access_token: token().optional().meta({
      title: "Access Token",
      description: "The access token obtained last. Kept by the connector.",
      airbyte_secret: true,
      airbyte_hidden: true,
      order: 4,
    }),
    token_expiry_date: date().optional().meta({
      title: "Access Token Expiry",
      description: "When the access token expires (UTC). Kept by the connector.",
      format: "date-time",
      airbyte_hidden: true,
      order: 5,
    }),
    authorization_url: address()
      .optional()
      .meta({
        title: "Authorization URL",
        description:
          "Where you give your consent. The sign-in button needs it; elsewhere it is discovered from the provider if left out.",
        examples: ["https://auth.example.com/authorize"],
        order: 6,
      }),
    token_url: address()
      .optional()
      .meta({
        title: "Token URL",
        description:
          "Where tokens are issued and refreshed. The sign-in button needs it; elsewhere it is discovered from the provider if left out.",
        examples: ["https://auth.example.com/token"],
        order: 7,
      }),
  })
  .meta({
    title: "OAuth 2.0",
    description: "Sign in at the provider. Tokens are renewed by themselves.",
  });

const bearerSchema = z
  .looseObject({
    auth_type: z.literal("scoped_bearer_token").meta({ order: 0 }),
    access_token: token().meta({
      title: "Access Token",
      description:
        "A read-only token of your billing account with the scopes billing.account.read and billing.usage.read, and billing.cost.read for costs.",
      airbyte_secret: true,
      order: 1,
    }),
  })
  .meta({
    title: "Access Token",
    description: "A dedicated read-only token that the provider gave you.",
  });

/** The config in the file, before defaults. Unknown keys are accepted: platforms add their own. */
export const configSchema = z
  .looseObject({
    base_url: checkedText((value) => addressFault(value, { query: false })).meta({
      title: "Base URL",
      description:
        "Where the provider serves its billing export, without the /v1/… that follows. An https address; http only on the machine itself.",
      examples: ["https://billing.example.com", "https://api.example.com/billing"],
      pattern:
        "^(https://[^\\s/?#@\\\\]+|http://(localhost|127\\.[0-9]+\\.[0-9]+\\.[0-9]+|\\[::1\\])(:[0-9]+)?)(/[^\\s?#\\\\]*)?$",
      pattern_descriptor: "https://host/path",
      group: "connection",
      order: 0,
    }),
    credentials: z.discriminatedUnion("auth_type", [oauthSchema, bearerSchema]).meta({
      title: "Authentication",
      description: "How the connector proves that it may read your billing data.",
      display_type: "radio",
      group: "connection",
      order: 1,
    }),
    start_date: date()
      .optional()
      .meta({
        title: "Start Date",
        description:
          "First day to read (UTC). If left out, everything that the provider still keeps is read.",
        examples: ["2026-01-01", "2026-01-01T00:00:00Z"],
        format: "date",
        pattern: DATE_PATTERN,
        pattern_descriptor: "YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ",
        always_show: true,
        group: "range",
        order: 2,
      }),
    end_date: date()
      .optional()
      .meta({
        title: "End Date",
        description:
          "First day not to read any more (UTC). If left out, each sync reads up to now.",
        examples: ["2026-07-01", "2026-07-01T00:00:00Z"],
        format: "date",
        pattern: DATE_PATTERN,
        pattern_descriptor: "YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ",
        group: "range",
        order: 3,
      }),
    granularity: z.enum(["1d", "1h"]).default("1d").meta({
      title: "Usage Granularity",
      description: "Whether usage comes by day (1d) or by hour (1h). Costs always come by day.",
      always_show: true,
      group: "range",
      order: 4,
    }),
    lookback_days: wholeNumber(0)
      .optional()
      .meta({
        title: "Lookback Days",
        description:
          "How many days each sync reads again, because providers complete and correct recent days. If left out, as many as the provider says that its data takes to settle.",
        examples: [3],
        group: "advanced",
        order: 5,
      }),
    reconcile_days: wholeNumber(0)
      .optional()
      .meta({
        title: "Reconcile Days",
        description:
          "How many days are read again once a day, to catch late corrections; 0 turns it off. If left out, a week of usage, and costs since the start of the month before last.",
        examples: [60],
        group: "advanced",
        order: 6,
      }),
    concurrency: wholeNumber(1, 16).default(4).meta({
      title: "Concurrency",
      description: "How many requests are under way at once, over all streams.",
      group: "advanced",
      order: 7,
    }),
    page_size: wholeNumber(1, 1000).default(1000).meta({
      title: "Page Size",
      description: "How many records to ask for in one request.",
      group: "advanced",
      order: 8,
    }),
    invalid_records: z.enum(["fail", "warn"]).default("fail").meta({
      title: "Invalid Records",
      description:
        "What to do with a record that breaks the rules of the interface: stop the stream (fail), or pass it on as it came with a warning (warn).",
      group: "advanced",
      order: 9,
    }),
    account: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        title: "Account Label",
        description:
          "A label of your own for the billing account. Change it when the credentials change to another account, and the connector will refuse to mix the two in one table.",
        examples: ["production"],
        group: "advanced",
        order: 10,
      }),
  })
  .meta({ title: "AI Billing" });
