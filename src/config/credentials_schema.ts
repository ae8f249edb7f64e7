/** The variants of `credentials` (design section 5): how a person signs in, OAuth first. */
import * as z from "zod";
import { address, date, pasted, SIGN_IN, token, wholeNumber } from "./fields.ts";

export const oauthSchema = z
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

export const bearerSchema = z
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

/** Providers with an API of their own, by `auth_type`, and the addresses of these APIs. */
export const PROVIDERS = {
  anthropic_admin_key: { provider: "anthropic", baseUrl: "https://api.anthropic.com" },
  openai_admin_key: { provider: "openai", baseUrl: "https://api.openai.com" },
  openrouter_management_key: { provider: "openrouter", baseUrl: "https://openrouter.ai/api" },
} as const;

/** A key for a provider's own reports, and the values that the connector assumes because the reports do not give them. */
function providerKey<Type extends keyof typeof PROVIDERS>(
  authType: Type,
  meta: { title: string; description: string; key: string; finalAfterDays: number },
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
      final_after_days: wholeNumber(0, 365).default(meta.finalAfterDays).meta({
        title: "Final After Days",
        description:
          "How many days after the end of the calendar month the connector calls a cost final. At OpenRouter the days begin at the end of the cost's day.",
        order: 4,
      }),
    })
    .meta({ title: meta.title, description: meta.description });
}

const REPORTS = "Reads the provider's own reports: billed cost before credits and tax.";

export const providerKeys = [
  providerKey("anthropic_admin_key", {
    title: "Anthropic Admin Key",
    description: REPORTS,
    key: "An Admin API key of your Anthropic organization, or a key with the scope read:analytics.",
    // Its values change until about a week after the month's end.
    finalAfterDays: 8,
  }),
  providerKey("openai_admin_key", {
    title: "OpenAI Admin Key",
    description: REPORTS,
    key: "An admin key of your OpenAI organization, or a key with the scope api.usage.read.",
    finalAfterDays: 5,
  }),
  providerKey("openrouter_management_key", {
    title: "OpenRouter Management Key",
    description: REPORTS,
    key: "A management key of your OpenRouter account.",
    finalAfterDays: 5,
  }),
] as const;
