/** CAP: the document of capabilities (interface sections 2.2, 2.3 and 4.1). */
import { validateCapabilities } from "../../src/generated/all_violations.js";
import type { Violation } from "../../src/generated/all_violations.js";
import { broken, passed } from "../check.ts";
import type { Check, Finding, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import { isObject } from "../json.ts";
import { isPlainEndpoint } from "../samples.ts";
import { bodyOf } from "../session.ts";
import type { Session } from "../session.ts";
import { judgedAll, quoted, statusOf } from "./shared.ts";
import { fieldOf, findingOf, violationsOf } from "./violations.ts";

type Kind = "closed" | "version" | "endpoint" | "enumeration" | "metadata" | "other";

const ENUMERATIONS = new Set([
  "authorization_methods",
  "granularities",
  "dimensions",
  "currencies",
]);

function kindOf(violation: Violation): Kind {
  const field = fieldOf(violation);
  if (violation.keyword === "additionalProperties") return "closed";
  if (violation.keyword === "required") return "other";
  if (field === "profile_version" || field === "focus_version") return "version";
  if (field === "endpoint") return "endpoint";
  if (field === "protected_resource_metadata_url") return "metadata";
  return ENUMERATIONS.has(field) && violation.keyword !== "type" ? "enumeration" : "other";
}

async function violations(session: Session, kind: Kind): Promise<Result> {
  const document = await session.capabilities();
  const exchange = await session.capabilitiesExchange();
  const found = violationsOf(validateCapabilities, document).filter((one) => kindOf(one) === kind);
  return judgedAll(found.map((one) => findingOf("capabilities", document, one, exchange)));
}

async function endpoints(session: Session): Promise<Result> {
  const result = await violations(session, "endpoint");
  if (result.kind === "broken") return result;
  const findings: Finding[] = [];
  for (const dataset of ["usage", "costs"] as const) {
    const endpoint = (await session.offer(dataset))?.["endpoint"];
    if (typeof endpoint !== "string") continue;
    if (!isPlainEndpoint(session.options.baseUrl, endpoint)) {
      const expected = "a plain path below the base URL, without dot segments, query or escapes";
      const exchange = await session.capabilitiesExchange();
      findings.push({
        seen: `the endpoint of ${dataset} is ${quoted(endpoint)}`,
        expected,
        exchange,
      });
    }
  }
  return judgedAll(findings);
}

async function metadataOverHttps(session: Session): Promise<Result> {
  const { protected_resource_metadata_url: url } = await session.capabilities();
  if (url === undefined || url === null) return passed;
  if (typeof url !== "string" || !URL.canParse(url)) throw new Missing("an absolute address");
  const { protocol, hostname } = new URL(url);
  const safe = protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
  if (safe) return passed;
  return broken(`it is ${quoted(url)}`, "an https address", await session.capabilitiesExchange());
}

async function served(session: Session): Promise<Result> {
  const exchange = await session.capabilitiesExchange();
  if (bodyOf(exchange) !== undefined) return passed;
  const what = exchange.status === 200 ? "a body that is no JSON object" : statusOf(exchange);
  return broken(`capabilities answer with ${what}`, "status 200 and a JSON object", exchange);
}

/** Whether capabilities name OAuth among the methods of authorization. */
export async function offersOAuth(session: Session): Promise<boolean> {
  const document = await session.capabilities();
  const methods = isObject(document) ? document["authorization_methods"] : undefined;
  return Array.isArray(methods) && methods.includes("oauth2_authorization_code");
}

export const capabilityChecks: readonly Check[] = [
  {
    id: "CAP-01",
    level: "must",
    clause: "4.1",
    title: "Capabilities are served as a JSON object.",
    protects: "Without them no client can plan a single request.",
    mend: "Answer GET {base_url}/v1/finops/capabilities with 200 and the document of section 2.2.",
    run: served,
  },
  {
    id: "CAP-02",
    level: "must",
    clause: "2.2, 2.3",
    title: "Capabilities have every required member, with its type and range.",
    protects: "Clients plan windows by these numbers; a wrong one leaves days unread.",
    mend: "Compare the document with the tables of sections 2.2 and 2.3, member by member.",
    run: (session) => violations(session, "other"),
  },
  {
    id: "CAP-03",
    level: "must",
    clause: "2.2, 2.3",
    title: "Capabilities have no member that the interface does not name.",
    protects: "The objects are closed: a strict client refuses the whole document.",
    mend: "Leave the member out of the document.",
    run: (session) => violations(session, "closed"),
  },
  {
    id: "CAP-04",
    level: "must",
    clause: "2.2, 9",
    title: "`profile_version` is `0.1` and `focus_version` is `1.4`.",
    protects: "A client stops at a version that it does not know.",
    mend: "Send the two constants as text.",
    run: (session) => violations(session, "version"),
  },
  {
    id: "CAP-05",
    level: "must",
    clause: "2.3, 9",
    title: "Endpoints are versioned paths below the base URL.",
    protects: "A client sends its token there; an address that leads elsewhere gives it away.",
    mend: "Write the endpoint as a plain path such as /v1/finops/usage.",
    run: endpoints,
  },
  {
    id: "CAP-06",
    level: "must",
    clause: "2.1",
    title: "Lists in capabilities hold known values, each once.",
    protects:
      "A client cannot choose a granularity, dimension or credential that it does not know.",
    mend: "Use the values of section 2.1 only, and name none twice.",
    run: (session) => violations(session, "enumeration"),
  },
  {
    id: "CAP-07",
    level: "must",
    clause: "2.2",
    title: "`protected_resource_metadata_url` is an absolute address, or null.",
    protects: "Sign-in starts there.",
    mend: "Send the whole address, beginning with https://, or null.",
    run: (session) => violations(session, "metadata"),
  },
  {
    id: "CAP-14",
    level: "should",
    clause: "2.2 (RFC 9728 section 3)",
    title: "`protected_resource_metadata_url` is an https address.",
    protects: "On its way an http answer can be changed, and lead users to sign in elsewhere.",
    mend: "Serve the metadata over https, and send that address.",
    run: metadataOverHttps,
  },
];
