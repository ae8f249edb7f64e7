/** The pages of docs/ that are made from the checks and the planted faults of conform/. */
import type { Check } from "../conform/check.ts";
import { CHECKS, groupOf, GROUPS } from "../conform/registry.ts";
import { PLANTS } from "../conform/testing/plants.ts";

const MADE = "<!-- Made by `npm run generate` from conform/. Do not edit. -->";

const UNSEEN = `## What no check can see

| rule | clause | why |
|---|---|---|
| Capabilities and usage are a 403 without \`billing.usage.read\`, capabilities without \`billing.account.read\`. | 5 rule 2 | A run has a token with all scopes, and perhaps one that lacks \`billing.cost.read\` (ERR-08). |
| A token without access to the account is a 403. | 5 rule 2 | A run has tokens of one account. |
| A token that has expired, or was revoked, is a 401. | 5 rule 1 | A run tries a token that was never issued (ERR-05); its own must stay valid. |
| A token is read-only and bound to one billing account. | 5 | What else a token may do lies outside the interface. |
| Signing in needs PKCE with S256. | 5 | It needs a person at a browser. OAU-03 reads what the metadata offer. |
| The export is complete. | 1, 4.2, 4.3 | Only the invoice tells (\`source-ai-billing verify\`). The checks compare answers with each other. |
| A request above the rate limit is a 429. | 7, 8 | The interface does not say how high the limit is. ERR-10 judges each 429 that comes. |
`;

function row(check: Check): string {
  const level = check.level === "must" ? "MUST" : "SHOULD";
  return `| ${check.id} | ${check.title} | ${level} | ${check.clause} | ${check.protects} | ${check.mend} |`;
}

/** `docs/conformance-checks.md`: every check with its clause. */
export function checksPage(): string {
  const groups = Object.entries(GROUPS).map(([group, name]) => {
    const own = CHECKS.filter((check) => groupOf(check) === group);
    return `## ${group}: ${name}

| check | rule | level | clause | why | to mend |
|---|---|---|---|---|---|
${own.map(row).join("\n")}
`;
  });
  const must = CHECKS.filter(({ level }) => level === "must").length;
  return `${MADE}

# Checks of \`source-ai-billing conform\`

${CHECKS.length} checks. ${must} are a MUST: the interface says so, and a break fails the run. ${CHECKS.length - must} are a
SHOULD: the interface is silent, but money is at risk, and a break is a warning. A clause is a section of the interface,
or the standard that the rule comes from. Ids are stable: a check that is given up leaves a gap.

${groups.join("\n")}
${UNSEEN}`;
}

/** `docs/conformance-faults.md`: which check finds which planted fault. */
export function faultsPage(): string {
  const rows = PLANTS.map(({ name, what, finds }) => `| ${name} | ${what} | ${finds.join(", ")} |`);
  return `${MADE}

# How the checks are proven

The reference provider passes every check with no warning. \`conform/proof.test.ts\` then plants each of these
${PLANTS.length} faults in it, one at a time, and runs all checks: exactly the checks that the row names find the fault.

| fault | what is wrong | found by |
|---|---|---|
${rows.join("\n")}
`;
}
