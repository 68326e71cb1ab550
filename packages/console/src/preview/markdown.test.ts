// @module-tag D-04
import { expect, test } from "vitest";
import { readInline, readMarkdown } from "./markdown.js";

test("blocks are read", () => {
  const text = [
    "# Title #",
    "",
    "One *two* **three** `four`",
    "same paragraph",
    "- a",
    "  - b",
    "- c",
    "",
    "1. first",
    "",
    "> quoted",
    "```sql",
    "select 1 # no heading",
    "```",
    "---",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
  ].join("\n");
  const blocks = readMarkdown(text);
  const types = ["heading", "paragraph", "list", "list", "quote", "code", "rule", "table"];
  expect(blocks.map(({ type }) => type)).toEqual(types);
  expect(blocks[2]).toMatchObject({ isOrdered: false, items: [[{ type: "paragraph" }, { type: "list" }], [{}]] });
  expect(blocks[5]).toEqual({ type: "code", text: "select 1 # no heading" });
  expect(blocks[7]).toMatchObject({
    rows: [
      [[{ text: "a" }], [{ text: "b" }]],
      [[{ text: "1" }], [{ text: "2" }]],
    ],
  });
});

test("HTML is text, an image is its description, and only absolute web and mail addresses are links", () => {
  expect(readInline("<img src=x onerror=alert(1)><script>x</script>")).toEqual([
    { type: "text", text: "<img src=x onerror=alert(1)><script>x</script>" },
  ]);
  expect(readInline("![a chart](https://example.com/x.png)")).toEqual([{ type: "text", text: "a chart" }]);
  expect(readInline("[ok](https://example.com/a?b=1)")).toMatchObject([
    { type: "link", href: "https://example.com/a?b=1" },
  ]);
  expect(readInline("<https://example.com>")).toMatchObject([{ type: "link", href: "https://example.com" }]);
  const unsafe = [
    "javascript:alert(1)",
    "JaVaScRiPt:x",
    "data:text/html,x",
    "/api/v1/me",
    "//example.com",
    "vbscript:x",
    "https://",
  ];
  for (const href of unsafe) expect(JSON.stringify(readInline(`[x](${href})`))).not.toContain('"link"');
});

test("long text without end marks is read in linear time", () => {
  const spaces = " ".repeat(30_000);
  for (const text of [`# a${spaces}b`, `a|\n${spaces}x`, `a|\n|${spaces}-${spaces}x`, `![a](${spaces}`])
    expect(readMarkdown(text).length).toBeGreaterThan(0);
  for (const mark of ["*", "**", "`", "[", "![", "<", "~~", "[a](", "> ", "- ", "#", "\\", "| "]) {
    const text = mark.repeat(30_000 / mark.length);
    expect(readMarkdown(text).length).toBeGreaterThan(0);
    expect(readMarkdown(text.split("").join("\n")).length).toBeGreaterThan(0);
  }
});
