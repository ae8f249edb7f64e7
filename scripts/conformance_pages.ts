/** The pages of docs/ that are made from the checks and the planted faults of conform/. */
import type { Check } from "../conform/check.ts";
import { CHECKS, groupOf, GROUPS } from "../conform/registry.ts";
import { PLANTS } from "../conform/testing/plants.ts";

const MADE = "<!-- Made by `npm run generate` from conform/. Do not edit. -->";

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

${groups.join("\n")}`;
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
