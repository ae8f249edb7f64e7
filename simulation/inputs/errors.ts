/** The rules for every error, for any input. */
import { Secrets } from "../../src/secrets.ts";
import { ConnectorError, type ErrorCode } from "../../src/errors.ts";

export interface Expectations {
  readonly codes: ReadonlySet<ErrorCode>;
  /** The text that the error must not show; null if the input has no secret. */
  readonly secret: string | null;
  /** Whether the message may contain the secret because the writer of stdout masks it. */
  readonly masked: boolean;
}

/**
 * The broken rules of an error. It must be a ConnectorError with a fitting code and a message, and show no secret.
 */
export function errorFaults(error: unknown, { codes, secret, masked }: Expectations): string[] {
  if (!(error instanceof ConnectorError)) {
    return [`not an error of ours: ${error instanceof Error ? error.stack : String(error)}`];
  }
  const secrets = new Secrets();
  if (masked && secret !== null) secrets.add([secret]);
  // As cli/main.ts writes it, member by member.
  const shown = Object.values(error.toTrace()).map((member) =>
    typeof member === "string" ? secrets.mask(member) : JSON.stringify(member),
  );
  return [
    ...(codes.has(error.code)
      ? []
      : [`${error.code}: ${error.detail ?? error.message} ${String(error.cause)}`]),
    ...(error.message.length < 20 ? [`it says nothing: ${error.message}`] : []),
    ...(secret !== null && shown.some((member) => member.includes(secret))
      ? [`a secret is shown: ${shown.join(" ")}`]
      : []),
  ];
}
