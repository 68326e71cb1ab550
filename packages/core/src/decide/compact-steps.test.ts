// @module-tag E-16
import fc from "fast-check";
import { expect, test } from "vitest";
import { expandSteps } from "../fold/step-ranges.js";
import { compactSteps } from "../index.js";

test("K4: consecutive items of one container become a range; other ids stay unchanged", () => {
  const ids = ["load", "each/0/one", "each/0/two", "each/1/one", "each/2/one", "each/2/two", "poll/0", "each/9/one"];
  expect(compactSteps(ids)).toEqual([
    "load",
    { container: "each", from: 0, to: 2, step: "one" },
    "each/0/two",
    "each/2/two",
    "poll/0",
    "each/9/one",
  ]);
});

const name = fc.constantFrom("a", "b/1/c", "poll");
const stepId = fc.oneof(
  name,
  fc
    .tuple(name, fc.nat(5), fc.constantFrom("x", "y"))
    .map(([container, index, step]) => `${container}/${index}/${step}`),
);

test("K4: a compacted list expands to the same steps", () => {
  fc.assert(
    fc.property(fc.uniqueArray(stepId), (ids) => {
      expect([...expandSteps(compactSteps(ids) as never)].sort()).toEqual([...ids].sort());
    }),
  );
});
