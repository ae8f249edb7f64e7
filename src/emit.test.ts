import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Emitter } from "./emit.ts";
import { Secrets } from "./secrets.ts";
import { ConnectorError } from "./errors.ts";
import * as protocol from "./protocol.ts";
import type { Output } from "./protocol.ts";

async function written(secret: string, output: Output): Promise<unknown> {
  const secrets = new Secrets();
  secrets.add([secret]);
  const out = new PassThrough();
  await new Emitter(out, secrets, false).write(output);
  return JSON.parse(String(out.read()));
}

test("a secret is masked in every text that is said", async () => {
  const said = protocol.log("WARN", "the token s3cret is refused, and so is czNjcmV0");
  expect(await written("s3cret", said)).toMatchObject({
    log: { message: "the token **** is refused, and so is ****" },
  });
});

test("L4: a secret is masked in other letters, and where a cut left only a part", async () => {
  const said = protocol.log("WARN", 'type "S3CRET-TOKEN", id "x s3cret-t…"');
  expect(await written("s3cret-token", said)).toMatchObject({
    log: { message: 'type "****", id "x ****…"' },
  });
});

test("L4: a beginning of a key is masked as far as it goes, and so is the header that carries the key", async () => {
  const key = "sk-ant-admin01-0123456789abcdefghijklmnop";
  const header = Buffer.from(`Bearer ${key}`);
  const said = [
    `key ${key.slice(0, 25)} is refused`,
    key.slice(0, 20).toUpperCase(),
    header.toString("base64"),
    header.toString("base64url"),
    Buffer.from(key).toString("base64"),
    key.slice(0, 19),
  ].join(" | ");
  expect(await written(key, protocol.log("WARN", said))).toMatchObject({
    log: {
      message: expect.stringMatching(
        /^key \*{4} is refused \| \*{4} \| \*{4}=* \| \*{4} \| \*{4}=* \| sk-ant-admin01-0123$/,
      ),
    },
  });
});

test("L4: a beginning of a key is masked behind letters whose small form is longer", async () => {
  const key = "sk-ant-admin01-0123456789abcdefghijklmnop";
  const said = protocol.log("WARN", `${"\u0130".repeat(30)} ${key.slice(0, 30)}`);
  expect(await written(key, said)).toMatchObject({
    log: { message: `${"\u0130".repeat(30)} ****` },
  });
});

test("L4: a secret is masked as a form and as JSON write it", async () => {
  const key = 'ab~c"d\\e(f)!g';
  const said = `${new URLSearchParams({ key }).toString()} ${JSON.stringify(key)}`;
  expect(await written(key, protocol.log("WARN", said))).toMatchObject({
    log: { message: 'key=**** "****"' },
  });
});

test("only a defect of the connector carries a stack", () => {
  const fault = new ConnectorError("provider_fault", "It is broken.", { cause: new Error("x") });
  expect(fault.toTrace()).not.toHaveProperty("stack_trace");
  const defect = ConnectorError.from(new TypeError("no such thing"));
  expect(defect.toTrace().stack_trace).toContain("Caused by: TypeError");
});

test("a token that is a part of the protocol's own words leaves them readable", async () => {
  for (const secret of ["usage", "S", "COMPLETE", "e"]) {
    const status = protocol.streamStatus("usage", "COMPLETE", 0);
    expect(await written(secret, status)).toEqual(JSON.parse(JSON.stringify(status)));
  }
});

test("a stream of the user's own naming is no word of the protocol", async () => {
  const status = protocol.streamStatus("my-s3cret", "INCOMPLETE", 0);
  expect(JSON.stringify(await written("s3cret", status))).toContain('"my-****"');
});

test("rows and states pass as they are, also with a token that the provider sends back, as SECURITY.md says", async () => {
  const bytes = Buffer.from('{"label":"s3cret"}\n');
  expect(
    await written("s3cret", { type: "RECORD_LINES", stream: "usage", bytes, count: 1 }),
  ).toEqual({ label: "s3cret" });
  const state = JSON.stringify(
    await written("s3cret", protocol.state("usage", { a: "s3cret" }, 1)),
  );
  expect(state).toContain('"stream_state":{"a":"s3cret"}');
  const page = readFileSync(new URL("../SECURITY.md", import.meta.url), "utf8").replaceAll(
    /\s+/g,
    " ",
  );
  expect(page).toContain(
    "sends your token back in a label, an id or a cursor, which stay in rows and states as they are",
  );
});

test("recordCount has a decimal point, as the protocol wants it", async () => {
  const out = new PassThrough();
  await new Emitter(out, new Secrets(), false).write(protocol.state("usage", { a: 1 }, 12));
  expect(String(out.read())).toContain(
    '"stream_state":{"a":1}},"sourceStats":{"recordCount":12.0}',
  );
});
