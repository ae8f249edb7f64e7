import fc from "fast-check";
import { expect, test } from "vitest";
import { addressFault, normalizeBaseUrl } from "./address.ts";

test.each([
  ["https://Billing.Example.COM", "https://billing.example.com"],
  ["https://example.com/", "https://example.com"],
  ["https://example.com/billing//", "https://example.com/billing"],
  ["https://example.com:443/Path", "https://example.com/Path"],
  ["https://example.com:8443", "https://example.com:8443"],
  ["https://example.com/a/../b/./c", "https://example.com/b/c"],
  ["HTTPS://example.com", "https://example.com"],
  ["http://localhost:8080/v", "http://localhost:8080/v"],
  ["http://LOCALHOST", "http://localhost"],
  ["http://127.0.0.1:80", "http://127.0.0.1"],
  ["http://127.255.3.4:9", "http://127.255.3.4:9"],
  ["http://[::1]:9000/", "http://[::1]:9000"],
  ["http://[0:0:0:0:0:0:0:1]", "http://[::1]"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
])("%s is normalised to %s", (text, normalized) => {
  expect(normalizeBaseUrl(text)).toBe(normalized);
});

test.each([
  ["", "such as"],
  ["billing.example.com", "such as"],
  ["https:", "such as"],
  ["https:/example.com", "such as"],
  ["https:///example.com", "such as"],
  ["ftp://example.com", "such as"],
  ["https://exa mple.com", "spaces"],
  ["https://example.com\n", "line breaks"],
  [" https://example.com", "spaces"],
  ["https:\\\\example.com", "backslashes"],
  ["https://example.com/?", "query"],
  ["https://example.com/v?a=b", "query"],
  ["https://example.com/#", "fragment"],
  ["https://user:pass@example.com", "user name"],
  ["https://@example.com", "user name"],
  ["http://example.com", "https://"],
  ["http://10.0.0.1", "https://"],
  ["http://localhost.example.com", "https://"],
  ["http://127.0.0.1.example.com", "https://"],
  ["http://128.0.0.1", "https://"],
  ["http://0.0.0.0", "https://"],
  ["http://[::ffff:127.0.0.1]", "https://"],
  ["http://localhost@example.com", "user name"],
])("%j is refused with a rule about %s", (text, words) => {
  expect(addressFault(text, { query: false })).toContain(words);
  expect(normalizeBaseUrl(text)).toBeUndefined();
});

test("an authorization address may have a query", () => {
  expect(addressFault("https://example.com/authorize?tenant=1", { query: true })).toBeUndefined();
});

test("normalising is idempotent, and what it gives can be followed by a path", () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ["https"], withQueryParameters: false }), (url) => {
      const once = normalizeBaseUrl(url);
      if (once === undefined) return;
      expect(normalizeBaseUrl(once)).toBe(once);
      expect(once.endsWith("/")).toBe(false);
      expect(new URL(`${once}/v1/capabilities`).href).toBe(`${once}/v1/capabilities`);
    }),
  );
});
