/**
 * The one zod schema of the configuration (design section 5). src/config/config.ts parses with it, and scripts/specification.ts
 * turns it into spec.json, from which a platform makes its form. Titles and descriptions are written for that form. The
 * members of the protocol's own vocabulary (`order`, `group`, `airbyte_secret`, …) go into spec.json unchanged.
 *
 * The form of Airbyte folds away every optional field that does not say `always_show`, and shows fields by `order`.
 */
import * as z from "zod";
import { addressFault } from "./address.ts";
import { parseDate, parseInstant } from "../core/time.ts";
import { placeholderRule, tokenRule } from "./token_rule.ts";

/** The form offers dates only: a validator that knows `format: date` refuses instants, whatever the pattern says. */
const FORM_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

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
function checkedText(ruleFor: (value: string) => string | undefined) {
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

const date = () => checkedText(dateFault);
const address = () => checkedText((value) => addressFault(value, { query: true }));

const token = () => checkedText(tokenRule);

/** A text of the provider, which a person copies into an example's place. */
const pasted = (required = "is required") =>
  z
    .string({ error: ({ input }) => (input === undefined ? required : undefined) })
    .min(1)
    .superRefine((value, context) => {
      const rule = placeholderRule(value);
      if (rule !== undefined) context.addIssue({ code: "custom", message: rule });
    });

const SIGN_IN =
  "is required: sign in with the button of the platform, or in a shell with `source-ai-billing login --config <file>`";

/** A whole number from `least` to `most`; without `most` there is no upper limit. */
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
    client_id: pasted().meta({
      title: "Client ID",
      description: "The identifier that the provider gave to your OAuth application.",
      order: 0,
    }),
    client_secret: pasted().optional().meta({
      title: "Client Secret",
      description:
        "The secret of your OAuth application. A public client has none, but the sign-in button needs one.",
      airbyte_secret: true,
      always_show: true,
      order: 1,
    }),
    authorization_url: address()
      .optional()
      .meta({
        title: "Authorization URL",
        description:
          "The provider's page where you give your consent. The sign-in button needs it. Without the button the connector discovers it.",
        examples: ["https://auth.example.com/authorize"],
        always_show: true,
        order: 2,
      }),
    token_url: address()
      .optional()
      .meta({
        title: "Token URL",
        description:
          "The provider's address that issues and renews tokens. The sign-in button needs it. Without the button the connector discovers it.",
        examples: ["https://auth.example.com/token"],
        always_show: true,
        order: 3,
      }),
    // Airbyte draws its sign-in button in the place of this constant: after the four fields that the button needs.
    auth_type: z.literal("oauth2_authorization_code").meta({ order: 4 }),
    refresh_token: pasted(SIGN_IN).meta({
      title: "Refresh Token",
      description:
        "The token that the connector exchanges for new access tokens. The sign-in button fills it in.",
      airbyte_secret: true,
      order: 5,
    }),
    access_token: token().optional().meta({
      title: "Access Token",
      description:
        "The sign-in button fills it in. If you type a refresh token that the provider replaces at each use, type the access token and its expiry too: Airbyte forgets tokens that are renewed before the source is saved.",
      airbyte_secret: true,
      always_show: true,
      order: 6,
    }),
    token_expiry_date: date()
      .optional()
      .meta({
        title: "Access Token Expiry",
        description:
          "The time when the access token expires (UTC). The connector renews the token then. Leave it empty after the sign-in button.",
        examples: ["2026-01-31T12:00:00Z"],
        format: "date-time",
        always_show: true,
        order: 7,
      }),
  })
  .meta({
    title: "OAuth 2.0",
    description: "Sign in at the provider. The connector renews the tokens.",
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

/** Providers whose own reports are read, by `auth_type`, and where their APIs are. */
export const PROVIDERS = {
  anthropic_admin_key: { provider: "anthropic", baseUrl: "https://api.anthropic.com" },
  openai_admin_key: { provider: "openai", baseUrl: "https://api.openai.com" },
  openrouter_management_key: { provider: "openrouter", baseUrl: "https://openrouter.ai/api" },
} as const;

/** A key for a provider's own reports, and the values that the connector assumes because the reports do not give them. */
function providerKey<Type extends keyof typeof PROVIDERS>(
  authType: Type,
  meta: { title: string; description: string; key: string },
) {
  return z
    .looseObject({
      auth_type: z.literal(authType).meta({ order: 0 }),
      api_key: token().meta({
        title: meta.title,
        description: meta.key,
        airbyte_secret: true,
        order: 1,
      }),
      usage_lag_hours: wholeNumber(0, 240).default(4).meta({
        title: "Usage Lag Hours",
        description: "How many hours the provider takes until the usage of an hour is complete.",
        order: 2,
      }),
      costs_lag_hours: wholeNumber(0, 240).default(24).meta({
        title: "Costs Lag Hours",
        description: "How many hours the provider takes until the costs of a day are complete.",
        order: 3,
      }),
      final_after_days: wholeNumber(0, 365).default(5).meta({
        title: "Final After Days",
        description:
          "How many days after the end of the billing period the connector calls a cost final.",
        order: 4,
      }),
    })
    .meta({ title: meta.title, description: meta.description });
}

const REPORTS = "Reads the provider's own reports: billed cost before credits and tax.";

const providerKeys = [
  providerKey("anthropic_admin_key", {
    title: "Anthropic Admin Key",
    description: REPORTS,
    key: "An Admin API key of your Anthropic organization, or a key with the scope read:analytics.",
  }),
  providerKey("openai_admin_key", {
    title: "OpenAI Admin Key",
    description: REPORTS,
    key: "An admin key of your OpenAI organization, or a key with the scope api.usage.read.",
  }),
  providerKey("openrouter_management_key", {
    title: "OpenRouter Management Key",
    description: REPORTS,
    key: "A management key of your OpenRouter account.",
  }),
] as const;

/** The config as the file holds it, before defaults. Unknown keys are accepted because platforms add their own. */
export const configSchema = z
  .looseObject({
    base_url: checkedText((value) => addressFault(value, { query: false }))
      .optional()
      .meta({
        title: "Base URL",
        description:
          "The address of the provider's billing export, without the /v1/… that follows. It must start with https; http is accepted only for this machine itself. With a key of Anthropic, OpenAI or OpenRouter leave it empty, unless you reach them by a proxy.",
        examples: ["https://billing.example.com", "https://api.example.com/billing"],
        pattern:
          "^(https://[^\\s/?#@\\\\]+|http://(localhost|127\\.[0-9]+\\.[0-9]+\\.[0-9]+|\\[::1\\])(:[0-9]+)?)(/[^\\s?#\\\\]*)?$",
        pattern_descriptor: "https://host/path",
        always_show: true,
        group: "connection",
        order: 0,
      }),
    credentials: z
      .discriminatedUnion("auth_type", [oauthSchema, bearerSchema, ...providerKeys])
      .meta({
        title: "Authentication",
        description: "The proof that the connector may read your billing data.",
        display_type: "radio",
        group: "connection",
        order: 1,
      }),
    start_date: date()
      .optional()
      .meta({
        title: "Start Date",
        description:
          "The first day to read (UTC). If empty, the connector reads all that the provider still keeps.",
        examples: ["2026-01-01"],
        format: "date",
        pattern: FORM_DATE,
        pattern_descriptor: "YYYY-MM-DD",
        always_show: true,
        group: "range",
        order: 2,
      }),
    end_date: date()
      .optional()
      .meta({
        title: "End Date",
        description:
          "The first day that is no longer read (UTC). If empty, each sync reads up to now.",
        examples: ["2026-07-01"],
        format: "date",
        pattern: FORM_DATE,
        pattern_descriptor: "YYYY-MM-DD",
        group: "range",
        order: 3,
      }),
    granularity: z.enum(["1d", "1h"]).default("1d").meta({
      title: "Usage Granularity",
      description:
        "The width of a usage row: one day (1d) or one hour (1h). Costs always come by day.",
      always_show: true,
      group: "range",
      order: 4,
    }),
    lookback_days: wholeNumber(0)
      .optional()
      .meta({
        title: "Lookback Days",
        description:
          "The number of days that each sync reads again, because providers complete and correct recent days. If empty, the connector takes the number from the provider's own statement.",
        examples: [3],
        group: "advanced",
        order: 5,
      }),
    reconcile_days: wholeNumber(0)
      .optional()
      .meta({
        title: "Reconcile Days",
        description:
          "The number of days that the connector reads again once a day, to find late corrections; 0 turns this off. If empty, it reads a week of usage, and costs since the start of the month before last.",
        examples: [60],
        group: "advanced",
        order: 6,
      }),
    scrub_days: wholeNumber(0)
      .default(30)
      .meta({
        title: "Scrub Days",
        description:
          "The number of days in which the connector compares all of the older history once, a slice a day; 0 turns this off. It writes only what differs.",
        examples: [30],
        group: "advanced",
        order: 7,
      }),
    concurrency: wholeNumber(1, 16).default(4).meta({
      title: "Concurrency",
      description: "The number of requests that run at the same time, over all streams.",
      group: "advanced",
      order: 8,
    }),
    page_size: wholeNumber(1, 1000).default(1000).meta({
      title: "Page Size",
      description: "The number of records in one request.",
      group: "advanced",
      order: 9,
    }),
    invalid_records: z.enum(["fail", "warn"]).default("fail").meta({
      title: "Invalid Records",
      description:
        "The action for a record that breaks the rules of the interface: stop the stream (fail), or pass the record on unchanged, with a warning (warn).",
      group: "advanced",
      order: 10,
    }),
    account: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        title: "Account Label",
        description:
          "Your own name for the billing account. Change it when the credentials change to another account. The connector then refuses to mix the two accounts in one table.",
        examples: ["production"],
        group: "advanced",
        order: 11,
      }),
  })
  .meta({ title: "AI Billing" });
