/** A self-made certificate, for clients that accept only https. It is for tests: no authority has signed it. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { DAY } from "./instants.ts";

/** In milliseconds. Each start of the provider makes a new certificate. */
const LIFETIME = 30 * DAY;

export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM. A client that trusts it trusts this one start of the provider. */
  readonly cert: string;
}

/**
 * Makes a certificate and its key. The key never leaves memory.
 *
 * @param host The name or address under which clients reach the provider. The certificate names 127.0.0.1 and localhost too.
 * @param now The machine's clock in milliseconds since 1970; clients compare the certificate with theirs.
 */
async function makeCertificate(host: string, now: number): Promise<Certificate> {
  const names = [...new Set([host, "127.0.0.1", "localhost"])];
  const made = await generate([{ name: "commonName", value: "Reference AI Provider" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now - DAY), // the client's clock may be behind
    notAfterDate: new Date(now + LIFETIME),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      {
        name: "subjectAltName",
        altNames: names.map((name) =>
          isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
        ),
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** A certificate whose public part is in a file, for clients to trust. */
export interface PublishedCertificate extends Certificate {
  /** The file, in PEM. Every user may read it. */
  readonly path: string;
  /** Deletes the file. */
  readonly remove: () => void;
}

/** Makes a certificate for a host, as {@link makeCertificate} does, and writes it to a file without its key. */
export async function publishCertificate(host: string, now: number): Promise<PublishedCertificate> {
  const certificate = await makeCertificate(host, now);
  const folder = mkdtempSync(join(tmpdir(), "reference-provider-"));
  chmodSync(folder, 0o755); // a container's user reads it too
  const path = join(folder, "certificate.pem");
  writeFileSync(path, certificate.cert);
  return { ...certificate, path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
