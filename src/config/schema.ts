/**
 * The one zod schema of the configuration (design section 5). src/config/config.ts parses with it, and scripts/specification.ts
 * turns it into spec.json, from which a platform makes its form. Titles and descriptions are written for that form. The
 * members of the protocol's own vocabulary (`order`, `group`, `airbyte_secret`, …) go into spec.json unchanged.
 *
 * The form of Airbyte folds away every optional field that does not say `always_show`, and shows fields by `order`.
 */
import * as z from "zod";
import { bearerSchema, oauthSchema, providerKeys } from "./credentials_schema.ts";
import { addressFault } from "./address.ts";
import { checkedText, date, FORM_DATE, wholeNumber } from "./fields.ts";

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
          "The number of days that the connector reads again once a day, to find late corrections; 0 turns this off. If empty, it reads a week of usage, and costs since the start of the month before last. After days without a sync it reads as much more as these days would have read.",
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
    concurrency: wholeNumber(1, 16)
      .optional()
      .meta({
        title: "Concurrency",
        description:
          "The number of requests that run at the same time, over all streams. If empty, the connector finds the number: it begins with 4, goes up to 16 while the provider keeps up, and halves the number when the provider limits the rate.",
        examples: [4],
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
