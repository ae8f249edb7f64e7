/**
 * The meaning of the token endpoint's answers (RFC 6749 sections 5.1 and 5.2). No message quotes an answer, except the
 * short plain words of an error's description.
 */
import type { AuthorizationServer, TokenEndpointResponse } from "oauth4webapi";
import { foreignText } from "../core/foreign_text.ts";
import { ConnectorError } from "../errors.ts";
import type { Attempt, WholeResponse } from "./retries.ts";
import { wrongAddress } from "./retries.ts";

/** The tokens in an answer of the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  /** Absent if the refresh token that was sent stays valid (RFC 6749 section 6). */
  readonly refreshToken: string | undefined;
  /** The life of the access token in milliseconds, up to a year, from `answeredAt`; absent if the server does not say. */
  readonly livesMs: number | undefined;
  /** The instant of the answer, in milliseconds since 1970. */
  readonly answeredAt: number;
}

export interface AnswerContext {
  readonly library: typeof import("oauth4webapi");
  readonly server: AuthorizationServer;
  readonly clientId: string;
  /** The instant of the answer, in milliseconds since 1970. */
  readonly nowMs: number;
  /** The message if the endpoint does not accept the grant. */
  readonly onInvalidGrant: string;
  /** Whether the endpoint has given a token before. Until then its address may be wrong. */
  readonly proven: boolean;
}

/** The characters that a header can carry, as in http/auth.ts. */
const TOKEN = /^[\x21-\x7e]+$/;

/** A longer life is cut to a year: its end could be a date that the config cannot express. */
const LONGEST_LIFE_SECONDS = 365 * 86_400;

/**
 * The tokens of an answer, or "retryable" if the server says so.
 *
 * @throws ConnectorError `unauthorized`, `wrong_address`, `provider_fault`
 */
export async function judgeTokenAnswer(
  answer: WholeResponse,
  context: AnswerContext,
): Promise<Attempt<Tokens>> {
  const { status } = answer;
  const { error, words } = errorOf(answer);
  if (error === "temporarily_unavailable" || error === "server_error") {
    return { kind: "retryable", reason: `HTTP ${status}, ${error}` };
  }
  if (status !== 200) {
    const detail = [`HTTP ${status} of the token endpoint`, error, words]
      .filter(Boolean)
      .join(", ");
    throw error === "invalid_grant"
      ? new ConnectorError("unauthorized", context.onInvalidGrant, { detail })
      : refusalError(status, error, detail, context);
  }
  const body = objectOf(answer.text);
  const tokens = await parsed(answer, body, context);
  if (tokens.token_type !== "bearer") throw broken("token_type is not Bearer");
  if (!TOKEN.test(tokens.access_token)) throw broken("access_token is no token");
  const seconds = lifeOf(body);
  return {
    kind: "done",
    result: {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      livesMs: seconds === undefined ? undefined : Math.ceil(seconds * 1000),
      answeredAt: context.nowMs,
    },
  };
}

/** The refresh token of an answer that is perhaps broken in other parts; `undefined` if there is none. */
export function refreshTokenIn({ text }: WholeResponse): string | undefined {
  const token = objectOf(text)?.["refresh_token"];
  return typeof token === "string" && token !== "" ? token : undefined;
}

/**
 * Only the members that this client uses go to the library. An odd value in another member, such as an ID token that the
 * library would check against the issuer, must not cost a refresh token.
 */
async function parsed(
  { text, headers }: WholeResponse,
  body: Readonly<Record<string, unknown>> | undefined,
  { library, server, clientId }: AnswerContext,
): Promise<TokenEndpointResponse> {
  const { access_token, token_type, refresh_token } = body ?? {};
  const isUnchanged = refresh_token === null || refresh_token === "";
  const members = {
    access_token,
    token_type,
    refresh_token: isUnchanged ? undefined : refresh_token,
  };
  const response = new Response(body === undefined ? text : JSON.stringify(members), {
    headers: { "content-type": headers["content-type"] ?? "" },
  });
  try {
    return await library.processRefreshTokenResponse(server, { client_id: clientId }, response);
  } catch (reason) {
    throw broken(reason instanceof Error ? reason.message : "it is no token response");
  }
}

/** `expires_in` in seconds; absent if it is not a positive number: then the token is used until it is refused. */
function lifeOf(body: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const value = body?.["expires_in"];
  const seconds = typeof value === "string" ? Number.parseFloat(value) : value;
  return typeof seconds === "number" && seconds > 0
    ? Math.min(seconds, LONGEST_LIFE_SECONDS)
    : undefined;
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // A text that is no JSON counts like JSON that is no object.
  }
  return undefined;
}

/** The error of an answer (RFC 6749 section 5.2); `words` is the part of its description that may be shown. */
export function errorOf({ status, text }: WholeResponse): {
  readonly error: string;
  readonly words: string;
} {
  const body = status === 200 ? undefined : objectOf(text);
  const { error, error_description: description } = body ?? {};
  return {
    // A redirect says nothing about the grant, whatever its body holds.
    error: status >= 400 && typeof error === "string" && /^[a-z_]{1,40}$/.test(error) ? error : "",
    words: typeof description === "string" ? shortWords(description) : "",
  };
}

/** The shape of a plain word. Hardly any token, or part of a token, looks like that. */
const PLAIN_WORD = /^\(?[A-Za-z]?[a-z']{0,14}[.,:;)]?$/;

/** Leaves out every word that could be a token or a secret: careless servers repeat the request in the description. */
function shortWords(description: string): string {
  const words = description.slice(0, 2000).trim().split(/\s+/).slice(0, 40);
  return foreignText(words.map((word) => (PLAIN_WORD.test(word) ? word : "…")).join(" "));
}

function refusalError(
  status: number,
  error: string,
  detail: string,
  { server, proven }: AnswerContext,
): ConnectorError {
  switch (error) {
    case "invalid_client":
    case "unauthorized_client":
      return new ConnectorError(
        "unauthorized",
        `The provider does not accept the client (${error}). Check client_id and client_secret under credentials.`,
        { detail },
      );
    case "":
      break;
    default:
      return new ConnectorError(
        "provider_fault",
        `The token endpoint refuses a request that follows the standard (${error}). Report it to the provider.`,
        { detail },
      );
  }
  const redirects = status >= 300 && status < 400;
  if (!proven || redirects || status === 404) {
    const why = redirects
      ? `it redirects (HTTP ${status}), and tokens are sent nowhere else`
      : `it gives no token and no error of OAuth (HTTP ${status})`;
    return wrongAddress("token_url", new URL(server.token_endpoint ?? ""), why);
  }
  return broken(`HTTP ${status} without an error of OAuth`);
}

function broken(why: string): ConnectorError {
  return new ConnectorError(
    "provider_fault",
    `The token endpoint's answer breaks the standard (RFC 6749): ${why}. Report it to the provider.`,
    { detail: why },
  );
}
