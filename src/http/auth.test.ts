import { expect, test } from "vitest";
import { bearer } from "./auth.ts";

const signal = new AbortController().signal;

test("bearer() gives the header and cannot renew", async () => {
  const auth = bearer(" abc.DEF~1 \n");
  expect(await auth.authorization(signal)).toBe("Bearer abc.DEF~1");
  const refusal = { authorization: "Bearer abc.DEF~1", challenge: undefined };
  expect(auth.unauthorized(refusal)).toBe(false);
});

test.each(["", "  ", "a b", "a\nb", "a\u0000b", "pässword", "a\u2028b"])(
  "bearer() refuses %j without showing it",
  (token) => {
    expect(() => bearer(token)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(/^The access token is empty or holds spaces/),
      }),
    );
  },
);
