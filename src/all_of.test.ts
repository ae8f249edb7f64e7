import { expect, test } from "vitest";
import { allOf } from "./all_of.ts";
import { ConnectorError } from "./errors.ts";

const fault = (message: string) => new ConnectorError("invalid_config", message);

test("the results of steps come in their order", async () => {
  expect(await allOf([Promise.resolve(1), "two", undefined])).toEqual([1, "two", undefined]);
});

test("one step that fails fails with its own error", async () => {
  const own = fault("A.");
  await expect(allOf([1, Promise.reject(own)])).rejects.toBe(own);
});

test("several steps that fail give one error: the first one's code, and each message once", async () => {
  const line = new ConnectorError("invalid_arguments", "B.");
  const failed = allOf([
    Promise.reject(fault("A.")),
    Promise.reject(line),
    Promise.reject(fault("A.")),
  ]);
  await expect(failed).rejects.toMatchObject({ code: "invalid_config", message: "A.\nB." });
});

test("a defect stays alone", async () => {
  const defect = new TypeError("no function");
  const failed = allOf([Promise.reject(fault("A.")), Promise.reject(defect)]);
  await expect(failed).rejects.toMatchObject({ code: "internal", cause: defect });
});

test("a caller may merge the reasons itself", async () => {
  const failed = allOf([Promise.reject(fault("A.")), 1, Promise.reject(fault("B."))], String);
  await expect(failed).rejects.toBe("ConnectorError: A.,ConnectorError: B.");
});
