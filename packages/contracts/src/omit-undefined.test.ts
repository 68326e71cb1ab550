import { expect, expectTypeOf, test } from "vitest";
import { omitUndefined } from "./omit-undefined.js";

test("undefined fields are absent, all others stay", () => {
  expect(Object.entries(omitUndefined({ a: 1, b: undefined, c: null, d: "" }))).toEqual([
    ["a", 1],
    ["c", null],
    ["d", ""],
  ]);
});

test("only fields that can be undefined become optional", () => {
  const fields: { runId: string; stepId: string | undefined } = { runId: "run-1", stepId: "a" };
  const result = omitUndefined(fields);
  expectTypeOf(result.runId).toEqualTypeOf<string>();
  expectTypeOf(result).toExtend<{ readonly runId: string; readonly stepId?: string }>();
});
