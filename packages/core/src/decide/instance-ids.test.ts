import { expect, test } from "vitest";
import { indexPlan, instanceId, pathOf, prefixOf } from "../index.js";
import { planOf, work } from "@runledger/test-support/decide";

test.each([
  ["load", "load"],
  ["tables/3/analyze", "tables/analyze"],
  ["outer/1/inner/0/leaf", "outer/inner/leaf"],
  ["poll/2", "poll"],
  ["compensate/charge", "charge"],
  ["compensate/tables/3/analyze", "tables/analyze"],
])("K3: %s stands at %s in the plan", (stepId, path) => {
  expect(pathOf(stepId)).toBe(path);
});

test.each([
  ["load", "", "load"],
  ["load", "tables/3/", "load"],
  ["tables/one", prefixOf("tables", 3), "tables/3/one"],
  ["outer/first", prefixOf("outer/1/inner", 4), "outer/1/first"],
  ["outer/inner/leaf", prefixOf("outer/1/inner", 4), "outer/1/inner/4/leaf"],
])("K3: %s, seen from %s, is %s", (path, prefix, stepId) => {
  expect(instanceId(path, prefix)).toBe(stepId);
});

test("a plan is indexed once, with the steps of all branches", () => {
  const plan = planOf([{ id: "big", kind: "when", bodies: [{ steps: [work("yes")] }, { steps: [work("no")] }] }]);
  expect([...indexPlan(plan).keys()]).toEqual(["big", "big/yes", "big/no"]);
  expect(indexPlan(plan)).toBe(indexPlan(plan));
});
