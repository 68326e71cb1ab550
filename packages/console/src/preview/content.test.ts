// @module-tag D-04
import { expect, test } from "vitest";
import { contentOf } from "./content.js";
import { MAX_COLUMNS, MAX_ROWS } from "./table.js";

const of = (kind: string, text: string, isPart = false) => contentOf(kind, new TextEncoder().encode(text), isPart);

test("CSV with quotes, line breaks in fields and other delimiters is a table", () => {
  const csv = 'id,name,note\r\n1,"Smith, ""Jo""","two\nlines"\r\n2,Ann,\r\n';
  expect(of("orders.csv", csv)).toEqual({
    type: "table",
    table: {
      columns: ["id", "name", "note"],
      rows: [
        ["1", 'Smith, "Jo"', "two\nlines"],
        ["2", "Ann", ""],
      ],
      note: "2 rows, 3 columns",
    },
  });
  expect(of("dump", "\uFEFFa;b\n1;2\n")).toMatchObject({ table: { columns: ["a", "b"], rows: [["1", "2"]] } });
  expect(of("dump", "a\tb\n1\t2")).toMatchObject({ table: { columns: ["a", "b"], rows: [["1", "2"]] } });
  expect(of("one.csv", "id\n1\n2\n")).toMatchObject({ table: { columns: ["id"], rows: [["1"], ["2"]] } });
});

test("only the first rows and columns are kept, and the last record of a part is dropped", () => {
  const columns = Array.from({ length: MAX_COLUMNS + 10 }, (_, at) => `c${at}`).join(",");
  const rows = Array.from({ length: 500 }, (_, at) => Array.from({ length: MAX_COLUMNS + 10 }, () => at).join(","));
  const large = of("x.csv", [columns, ...rows].join("\n"), true);
  expect(large).toMatchObject({ table: { note: "First 100 rows, first 50 of 60 columns" } });
  if (large.type !== "table") throw new Error("not a table");
  expect([large.table.rows.length, large.table.rows[0]!.length]).toEqual([MAX_ROWS, MAX_COLUMNS]);
  expect(of("x.csv", "a,b\n1,2\n3,4000", true)).toMatchObject({ table: { rows: [["1", "2"]] } });
  expect(of("x.jsonl", '{"a":1}\n{"a":200', true)).toMatchObject({ table: { rows: [["1"]] } });
});

test("JSON lines become a table with the columns of all rows", () => {
  const text = '{"id":1,"tags":["a"]}\n{"id":2,"at":null,"__proto__":3}\n';
  expect(of("rows", text)).toMatchObject({
    table: {
      columns: ["id", "tags", "at", "__proto__"],
      rows: [
        ["1", '["a"]', null, null],
        ["2", null, null, "3"],
      ],
    },
  });
  expect(of("rows", '{"id":1}\n[1]\n')).toEqual({ type: "none" });
});

test("Markdown is recognized by its name or its first heading", () => {
  expect(of("report.md", "plain words")).toMatchObject({ type: "markdown" });
  expect(of("report", "# Report\n\nwords, words")).toMatchObject({ type: "markdown" });
});

test("everything else has no preview", () => {
  expect(of("x", "")).toEqual({ type: "empty" });
  for (const text of [
    "<html><body>a,b</body></html>\n<p>,</p>",
    "paid 3 suppliers\n",
    "a\0b,c\0",
    '{"a":1}',
    "%PDF-1.7",
  ])
    expect(of("x", text)).toEqual({ type: "none" });
  expect(contentOf("x.csv", Uint8Array.of(0xff, 0xfe, 0x00), false)).toEqual({ type: "none" });
  expect(contentOf("x", new TextEncoder().encode("PAR1...."), true)).toEqual({ type: "parquet" });
});
