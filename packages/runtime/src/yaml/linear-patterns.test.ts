// @module-tag U-15
/** A schema of a published workflow must not block the server that checks an input with it. */
import { InputError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { compiledOf } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import { loadWorkflow } from "./load-workflow.js";

const text = (pattern: string) => ({ type: "string", pattern });
const steps = [{ id: "nap", sleep: "1ms" }];

async function judge(input: object, value: unknown): Promise<string> {
  const workflow = await loadWorkflow(JSON.stringify({ workflow: "w", version: "1", input, steps }));
  return parseWith(compiledOf(workflow).input, "input", value).then(
    () => "fits",
    (error: unknown) => (error instanceof InputError ? `${error.code} ${error.field}` : String(error)),
  );
}

/** A JavaScript regular expression would not finish in a lifetime. */
const slow = "^(a+)+$";
const trap = `${"a".repeat(50_000)}!`;

test.each([
  ["a text", text(slow), trap, "input"],
  ["alternatives that overlap", text("^(a|a|aa)*$"), trap, "input"],
  ["three repetitions in a row", text("^\\S+@\\S+\\.\\S+$"), "@.".repeat(50_000) + " ", "input"],
  ["a property", { type: "object", properties: { p: text(slow) } }, { p: trap }, "input.p"],
  ["items", { type: "array", items: text(slow) }, ["a", trap], "input.1"],
  ["further properties", { type: "object", additionalProperties: text(slow) }, { x: trap }, "input.x"],
  ["one of several types", { anyOf: [text(slow), { type: "number" }] }, trap, "input"],
  ["all of several", { allOf: [text(slow), { type: "string", minLength: 1 }] }, trap, "input"],
  [
    "a reference to itself",
    {
      $ref: "#/$defs/n",
      $defs: { n: { type: "object", properties: { id: text(slow), next: { $ref: "#/$defs/n" } } } },
    },
    { id: "a", next: { id: trap } },
    "input.next.id",
  ],
  [
    "values of properties by pattern",
    { type: "object", patternProperties: { "^x-[a-z]+$": text(slow) }, additionalProperties: false },
    { "x-a": trap },
    "input.x-a",
  ],
])("a pattern of %s is matched in linear time", async (_, schema, value, field) => {
  expect(await judge(schema, value)).toBe(`SCHEMA_MISMATCH ${field}`);
});

test.each([
  ["^\\d{4}-\\d{2}-\\d{2}$", "2026-11-14", "14.11.2026"],
  ["b+", "abbc", "ac"],
  ["^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$", "ann@example.org", "ann@example"],
  ["^\\p{L}+\\/\\u00e9$", "Zoë/é", "1/é"],
])("%s matches as in JavaScript", async (pattern, fits, other) => {
  expect([await judge(text(pattern), fits), await judge(text(pattern), other)]).toEqual([
    "fits",
    "SCHEMA_MISMATCH input",
  ]);
});

test.each([
  ["(?=a)b", text("(?=a)b"), "input.pattern"],
  ["(a)\\1", text("(a)\\1"), "input.pattern"],
  ["((a{100}){100}){100}", { type: "array", items: text("((a{100}){100}){100}") }, "input.items.pattern"],
  ["(a+)+ of a name", { type: "object", propertyNames: text("^(a+)+$") }, "input.propertyNames.pattern"],
  ["a*a*$ of a name", { type: "object", patternProperties: { "a*a*$": {} } }, "input.patternProperties.a*a*$"],
])("%s is refused when the workflow is published, with its path", async (_, input, field) => {
  const { call } = await testServer([]);
  const answer = await call("PUT", "/workflows/w/1", { input, steps });
  expect(answer.status).toBe(400);
  const problem = (await answer.json()) as { readonly code: string; readonly detail: string };
  expect(problem).toMatchObject({ code: "PLAN_PATTERN_UNSAFE", detail: expect.stringContaining(field) as string });
});

test("a property named pattern, and data, are not patterns", async () => {
  const schema = { type: "object", properties: { pattern: { type: "string" } }, default: { pattern: "(?=a)" } };
  expect(await judge(schema, { pattern: "(?=a)" })).toBe("fits");
});
