import { describe, expect, it } from "vitest";
import { json, markup } from "./markup.ts";
import { amount, table } from "./tables.ts";

const HOSTILE = `<script>alert("1")</script> & 'more'`;

describe("markup", () => {
  it("escapes what is put in, and leaves what was made here", () => {
    const inner = markup`<b title="${HOSTILE}">${HOSTILE}</b>`;
    expect(inner.text).not.toContain("<script>");
    expect(inner.text).not.toContain(`"1"`);
    expect(markup`<p>${inner}</p>`.text).toBe(`<p>${inner.text}</p>`);
    expect(markup`<p>${[inner, inner]}</p>`.text).toBe(`<p>${inner.text}\n${inner.text}</p>`);
  });

  it("writes JSON that cannot end its script", () => {
    const { text } = json({ model: HOSTILE });
    expect(text).not.toContain("<");
    expect(JSON.parse(text)).toEqual({ model: HOSTILE });
  });
});

it("a name turns no amount beside it, in the document and in the data of its script", () => {
  const name = "m\u202E\u2067";
  expect(markup`<li>${name}: ${"12.00"}</li>`.text).toBe("<li>m[U+202E][U+2067]: 12.00</li>");
  expect(json({ name }).text).toBe('{"name":"m[U+202E][U+2067]"}');
});

describe("tables", () => {
  it("set numbers to the right, and keep the exact amount behind two digits", () => {
    const { text } = table(
      [{ title: "Day" }, { title: "Rows", isNumber: true }, { title: "Cost", isNumber: true }],
      [["2025-10-03", 1721, amount("-1721.5886")]],
    );
    expect(text).toContain(
      `<td class="text" data-title="Day">2025-10-03</td>\n<td class="number" data-title="Rows">1,721</td>`,
    );
    expect(text).toContain(`<data class="money" value="-1721.5886">−1,721.59</data>`);
  });
});
