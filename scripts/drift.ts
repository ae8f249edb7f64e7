/**
 * `npm run drift`: generates everything anew and fails where the result is not what is committed (or staged), so that
 * nobody edits a derived file by hand or forgets to derive it again.
 */
import { execFileSync } from "node:child_process";

const GENERATED = ["src/generated", "spec.json"];
const root = new URL("..", import.meta.url);

await import("./generate.ts");
const status = execFileSync("git", ["status", "--porcelain", "--", ...GENERATED], {
  cwd: root,
  encoding: "utf8",
});
// The first column is what is staged, the second what differs from that: a derived file that is staged is no drift.
const drifted = status.split("\n").filter((line) => line !== "" && line[1] !== " ");
if (drifted.length > 0) {
  console.error(`Derived files differ from what is committed:\n${drifted.join("\n")}`);
  console.error("Commit what `npm run generate` makes of schemas/ and src/config_schema.ts.");
  process.exitCode = 1;
}
