// @module-tag U-31
import { expect, test } from "vitest";
import { fieldsOf, initialValues, readValues } from "./schema-fields.js";

const schema = {
  type: "object",
  properties: {
    day: { type: "string", description: "which day", format: "date" },
    limit: { type: "integer", default: 10 },
    strict: { type: "boolean" },
    mode: { type: "string", enum: ["fast", "safe"] },
    tables: { type: "array" },
  },
  required: ["day", "mode", "limit"],
};

test("a form has a field for each property and returns values that match the schema", () => {
  const fields = fieldsOf(schema)!;
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ["day", "text", true],
    ["limit", "number", false],
    ["strict", "boolean", false],
    ["mode", "choice", true],
    ["tables", "json", false],
  ]);
  expect(fields.map(({ example }) => example)).toEqual(["2026-11-14", null, null, null, null]);
  const values = initialValues(fields);
  expect(readValues(fields, values).problems).toEqual({ day: "This field is required." });
  expect(readValues(fields, { ...values, day: "2026-11-14", tables: "[1]" })).toEqual({
    value: { day: "2026-11-14", limit: 10, strict: false, mode: "fast", tables: [1] },
    problems: {},
  });
  expect(readValues(fields, { ...values, day: "x", limit: "many" }).problems).toEqual({
    limit: "Enter a number.",
  });
  expect(fieldsOf({ type: "string" })).toBeNull();
  expect(fieldsOf(null)).toBeNull();
});
