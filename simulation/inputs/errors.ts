/** What every error must be, whatever the input was. */
import { Secrets } from "../../src/emit.ts";
import { ConnectorError, type ErrorCode } from "../../src/errors.ts";

export interface Expectations {
  readonly codes: ReadonlySet<ErrorCode>;
  /** What must not be shown; null where the input holds no secret. */
  readonly secret: string | null;
  /** Whether the message may hold what the writer of stdout then masks. */
  readonly masked: boolean;
}

/**
 * What is wrong with an error: it is one of the connector's own, of a code that fits, says something, and shows no secret.
 */
export function errorFaults(error: unknown, { codes, secret, masked }: Expectations): string[] {
  if (!(error instanceof ConnectorError)) {
    return [`not an error of ours: ${error instanceof Error ? error.stack : String(error)}`];
  }
  const secrets = new Secrets();
  if (masked && secret !== null) secrets.add([secret]);
  // As main.ts writes it, member by member.
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
