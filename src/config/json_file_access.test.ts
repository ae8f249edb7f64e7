import { expect, test, vi } from "vitest";
import { readJsonFile } from "./json_file.ts";

// The tests may run as root, who may read every file.
vi.mock("node:fs/promises", () => ({
  readFile: () => Promise.reject(Object.assign(new Error("denied"), { code: "EACCES" })),
}));

test("a file of another user: the message says what to do, also in a container", async () => {
  await expect(readJsonFile("/files/config.json", "config")).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringMatching(
      /may not be read by this user\. Run .*docker run --user "\$\(id -u\):\$\(id -g\)".*chmod/,
    ),
  });
});
