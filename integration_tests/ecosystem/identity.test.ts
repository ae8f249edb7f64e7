/** Several files repeat the version, the name and the address for different readers. These tests keep them equal. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { discoverCatalog } from "../../src/catalog/catalog.ts";
import { STREAM_NAMES } from "../../src/catalog/stream_names.ts";
import { world } from "../support/world.ts";
import { PROVIDERS } from "../../src/config/credentials_schema.ts";

const text = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const packageJson = JSON.parse(text("package.json")) as {
  name: string;
  version: string;
  homepage: string;
};
const spec = JSON.parse(text("spec.json")) as {
  documentationUrl: string;
  connectionSpecification: { required: string[]; properties: Record<string, { title: string }> };
};
const metadata = text("metadata.yaml");
const { breakingChanges } = z
  .object({
    data: z.object({
      releases: z.strictObject({
        breakingChanges: z.record(
          z.string(),
          z.strictObject({
            message: z.string(),
            upgradeDeadline: z.iso.date(),
            migrationDocumentationUrl: z.string(),
            scopedImpact: z.array(
              z.strictObject({
                scopeType: z.literal("stream"),
                impactedScopes: z.array(z.string()),
              }),
            ),
          }),
        ),
      }),
    }),
  })
  .parse(parse(metadata)).data.releases;

/** Cursor field and primary key of each stream of 0.1.0, as its `discover` offered them. */
const OF_0_1_0: Readonly<Record<string, string>> = {
  usage: "x_RecordUpdatedAt,x_RecordId",
  costs: "x_RecordUpdatedAt,x_RecordId",
  export_windows: "ended_at,reading_id,day,inside_window",
};

const dockerfile = text("Dockerfile");
const docs = text("docs/integrations/sources/ai-billing.md");

/** A key of metadata.yaml's `data` with a plain value. */
const declared = (key: string): string | undefined =>
  new RegExp(`^  ${key}: (.+)$`, "m").exec(metadata)?.[1];

const firstOf = (pattern: RegExp, source: string): string | undefined => pattern.exec(source)?.[1];

describe("one version", () => {
  test.each([
    ["metadata.yaml", declared("dockerImageTag")],
    ["the image's label", firstOf(/io\.airbyte\.version=(\S+)/, dockerfile)],
    ["CHANGELOG.md, newest first", firstOf(/^## (\d\S+) –/m, text("CHANGELOG.md"))],
    ["the documentation's changelog, newest first", firstOf(/^\| (\d\S+) \|/m, docs)],
    ["package-lock.json", (JSON.parse(text("package-lock.json")) as typeof packageJson).version],
  ])("%s", (_, version) => {
    expect(version).toBe(packageJson.version);
  });

  test("is released on one day", () => {
    const day = firstOf(/^## \d\S+ – (\S+)$/m, text("CHANGELOG.md"));
    expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(firstOf(/^\| \d\S+ \| (\S+) \|/m, docs)).toBe(day);
    expect(declared("releaseDate")).toBe(day);
  });

  test("a major one is a breaking change", () => {
    const [major, minor, patch] = packageJson.version.split(".");
    if (major !== "0" && minor === "0" && patch === "0") {
      expect(Object.keys(breakingChanges)).toContain(packageJson.version);
    }
  });
});

describe("the breaking changes of metadata.yaml", () => {
  const guidePath = "docs/integrations/sources/ai-billing-migrations.md";
  const guide = text(guidePath);

  test("are versions of the changelog, each with a message and at least a week to upgrade", () => {
    expect(Object.keys(breakingChanges)).toContain("0.2.0");
    for (const [version, { message, upgradeDeadline }] of Object.entries(breakingChanges)) {
      const released = firstOf(
        new RegExp(`^## ${version.replaceAll(".", "[.]")} – (\\S+)$`, "m"),
        text("CHANGELOG.md"),
      );
      expect(message.length).toBeGreaterThan(40);
      const week = 7 * 86_400_000;
      expect(Date.parse(upgradeDeadline) - Date.parse(released ?? "")).toBeGreaterThanOrEqual(week);
    }
  });

  test("have the migration guide, with steps for each version", () => {
    expect(guide).toMatch(/^# AI Billing Migration Guide\n/);
    const headings = [...guide.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(
      Object.keys(breakingChanges).map((version) => `Upgrading to ${version}`),
    );
    for (const { migrationDocumentationUrl } of Object.values(breakingChanges)) {
      expect(migrationDocumentationUrl).toBe(
        packageJson.homepage.replace("ai-billing.md", "ai-billing-migrations.md"),
      );
    }
    expect(docs).toContain("ai-billing-migrations.md");
  });

  test("name every stream whose key or cursor 0.2.0 changed, and the guide names both as they are now", () => {
    const streams = discoverCatalog(world({}).capabilities, false).map(
      ({ name, default_cursor_field: cursor, source_defined_primary_key: keys }) => ({
        name,
        words: [...cursor, ...keys.flat()],
      }),
    );
    const changed = streams.filter(({ name, words }) => words.join() !== OF_0_1_0[name]);
    const impacted = breakingChanges["0.2.0"]?.scopedImpact.flatMap((each) => each.impactedScopes);
    expect(changed.map(({ name }) => name)).toEqual(impacted);
    for (const { name, words } of changed) {
      for (const word of [name, ...words, ...(OF_0_1_0[name] ?? "").split(",")]) {
        if (word !== "ended_at") expect(guide).toContain(`\`${word}\``);
      }
    }
  });
});

test("one name", () => {
  expect(declared("dockerRepository")).toBe(packageJson.name);
  expect(firstOf(/io\.airbyte\.name=(\S+)/, dockerfile)).toBe(packageJson.name);
  expect(declared("githubIssueLabel")).toBe(packageJson.name);
});

test("one documentation, a page of this repository", () => {
  expect(declared("documentationUrl")).toBe(packageJson.homepage);
  expect(spec.documentationUrl).toBe(packageJson.homepage);
  const path = packageJson.homepage.split("/blob/main/")[1] ?? "";
  expect(text(path)).toBe(docs);
  expect(docs).toContain(packageJson.homepage);
});

test("the platform starts the image as the image starts itself", () => {
  const entrypoint = JSON.parse(firstOf(/^ENTRYPOINT (.+)$/m, dockerfile) ?? "[]") as string[];
  expect(entrypoint.length).toBeGreaterThan(0);
  expect(firstOf(/AIRBYTE_ENTRYPOINT=(\S+)/, dockerfile)).toBe(entrypoint.join(" "));
  for (const word of entrypoint) expect(word).toMatch(/^(\/|--)/);
});

test("metadata.yaml has every member that the schema requires, and no unknown one", () => {
  const required = [
    ..."name definitionId connectorType connectorSubtype dockerRepository dockerImageTag".split(
      " ",
    ),
    ..."license documentationUrl githubIssueLabel releaseStage".split(" "),
  ];
  const optional = [
    ..."icon supportLevel tags registryOverrides allowedHosts releases suggestedStreams".split(" "),
    ..."maxSecondsBetweenMessages releaseDate connectorTestSuitesOptions".split(" "),
  ];
  const keys = [...metadata.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key ?? "");
  expect(keys).toEqual(expect.arrayContaining(required));
  expect([...required, ...optional]).toEqual(expect.arrayContaining(keys));
  // Fixed for good when the connector was first described: a new one would be another connector to a platform.
  expect(declared("definitionId")).toBe("1cb92cb8-8dbb-4ee9-a3fc-ddb09ddc3913");
  expect(metadata).toMatch(/^ {4}- language:typescript$/m);
  expect(declared("connectorType")).toBe("source");
  expect(declared("license")).toBe("MIT");
});

test("the suggested streams are the offered ones", () => {
  const suggested = firstOf(/suggestedStreams:\n {4}streams:\n((?: {6}- \w+\n)+)/, metadata);
  expect(suggested?.match(/\w+/g)).toEqual([...STREAM_NAMES]);
});

test("the allowed hosts are those of the user's config and of the providers with reports of their own", () => {
  const hosts = firstOf(/allowedHosts:\n {4}hosts:\n((?: {6}- \S+\n)+)/, metadata);
  expect(hosts?.match(/[^\s-]\S*/g)).toEqual([
    "${base_url}",
    "${credentials.token_url}",
    ...Object.values(PROVIDERS).map(({ baseUrl }) => new URL(baseUrl).host),
  ]);
  expect(JSON.stringify(spec)).toContain('"token_url"');
});

describe("the documentation page", () => {
  test("has the required headings in their order", () => {
    const headings = [...docs.matchAll(/^#{1,3} (.+)$/gm)].map(([, heading]) => heading);
    const asked = [
      "AI Billing",
      "Prerequisites",
      "Setup guide",
      "Set up AI Billing",
      "Set up the AI Billing connector in Airbyte",
      "For Airbyte Open Source:",
      "Supported sync modes",
      "Supported Streams",
      "IP allow list",
      "Performance considerations",
      "Data type map",
      "Limitations & Troubleshooting",
      "Tutorials",
      "Changelog",
    ];
    expect(headings.filter((heading) => asked.includes(heading ?? ""))).toEqual(asked);
  });

  test("names each required field among the prerequisites, and no field that there is not", () => {
    const section = docs.split("## Prerequisites")[1]?.split("## Setup guide")[0] ?? "";
    const { required, properties } = spec.connectionSpecification;
    for (const name of required) expect(section).toContain(properties[name]?.title ?? name);
    const anchored = [...docs.matchAll(/<FieldAnchor field="([\w,]+)">/g)].flatMap(
      ([, names]) => names?.split(",") ?? [],
    );
    expect(anchored.toSorted()).toEqual(Object.keys(properties).toSorted());
  });

  test("hides from the form's guide the text for readers of the page", () => {
    expect(docs).toMatch(/^# AI Billing\n\n<HideInUI>\n/);
    expect(docs.match(/<HideInUI>/g)).toHaveLength(docs.match(/<\/HideInUI>/g)?.length ?? 0);
  });
});

test.each([
  "metadata.yaml",
  "docs/integrations/sources/ai-billing.md",
  "acceptance-test-config.yml",
])("%s names https addresses only", (path) => expect(text(path)).not.toMatch(/http:\/\//));

test("the icon is a square", () => {
  const box = firstOf(/viewBox="([^"]+)"/, text("icon.svg"))?.split(" ");
  expect(box?.slice(0, 2)).toEqual(["0", "0"]);
  expect(box?.[2]).toBe(box?.[3]);
});
