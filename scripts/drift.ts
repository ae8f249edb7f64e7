/**
 * `npm run drift`: generates everything anew and fails where the result is not what is committed (or staged), so that
 * nobody edits a derived file by hand or forgets to derive it again.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { withTable } from "../bench/readme.ts";

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
  console.error("Commit what `npm run generate` makes of schemas/ and src/config/schema.ts.");
  process.exitCode = 1;
}

const [readme, results] = ["README.md", "bench/RESULTS.md"].map((path) =>
  readFileSync(new URL(path, root), "utf8"),
);
if (readme === undefined || results === undefined || withTable(readme, results) !== readme) {
  console.error(
    "The README's table is not that of bench/RESULTS.md: both come from `npm run bench`.",
  );
  process.exitCode = 1;
}
