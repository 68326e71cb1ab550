/** The datasets that steps declare. */
import { MAX_DATASETS, PlanError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { work } from "@runledger/test-support/decide";
import { compilePlan, type DefinitionDatasets, type DefinitionStep } from "../index.js";

const compile = (step: DefinitionStep) => compilePlan({ id: "nightly", version: "1", body: { steps: [step] } });

function messageOf(datasets: unknown): string {
  try {
    compile(work("load", { datasets: datasets as DefinitionDatasets }));
    return "";
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return error.problems.map(({ message }) => message).join("\n");
  }
}

test("a plan has the datasets of a step as data, with the policy in milliseconds", () => {
  const datasets: DefinitionDatasets = {
    reads: ["shop.orders", { name: "rates", namespace: "s3://bank" }],
    writes: [{ name: "shop.totals", freshFor: "1h", fields: [{ name: "day", type: "date" }] }],
  };
  const { body } = compile(work("load", { datasets }));
  expect(body.steps[0]!.datasets).toEqual({
    reads: [{ name: "shop.orders" }, { name: "rates", namespace: "s3://bank" }],
    writes: [{ name: "shop.totals", freshForMs: 3_600_000, fields: [{ name: "day", type: "date" }] }],
  });
});

test.each([
  ["an unknown list", { read: ["a"] }, 'datasets has no option "read". Use reads and writes.'],
  ["no list", { reads: "a" }, "datasets.reads must be a list of datasets."],
  ["no name", { reads: [{}] }, "datasets.reads has the invalid dataset 0: name must be a text of 1 to 255 characters"],
  ["a number", { writes: ["a", 5] }, "datasets.writes has the invalid dataset 1: it must be an object with a name."],
  ["null", { writes: [null] }, "datasets.writes has the invalid dataset 0: it must be an object with a name."],
  ["a control character", { reads: ["a\u0007"] }, "without control characters"],
  ["a long name", { reads: ["a".repeat(256)] }, "name must be a text of 1 to 255 characters"],
  ["a long namespace", { reads: [{ name: "a", namespace: "n".repeat(256) }] }, "namespace must be a text"],
  ["an unknown option", { writes: [{ name: "a", color: "red" }] }, 'it has no option "color".'],
  ["a policy of a read dataset", { reads: [{ name: "a", freshFor: "1h" }] }, "Set it where the dataset is written."],
  [
    "a policy that is not a duration",
    { writes: [{ name: "a", freshFor: "soon" }] },
    "has a freshFor that is not a duration.",
  ],
  ["negative rows", { writes: [{ name: "a", rows: -1 }] }, "rows must be a whole number from 0."],
  ["bad fields", { writes: [{ name: "a", fields: [{ type: "int" }] }] }, "fields must be a list"],
  ["bad columns", { writes: [{ name: "a", columns: { x: [{ dataset: "b" }] } }] }, "columns must map"],
  [
    "many",
    { reads: Array.from({ length: MAX_DATASETS + 1 }, (_, n) => `t${n}`) },
    "has 101 datasets; the limit is 100.",
  ],
  ["too much text", { reads: [{ name: "a", fields: [{ name: "f".repeat(70_000) }] }] }, "the limit is 65536."],
])("a plan is refused because of %s", (_, datasets, message) => {
  expect(messageOf(datasets)).toContain(message);
});

test("only steps that a runner runs have datasets", () => {
  const nap: DefinitionStep = { id: "nap", kind: "sleep", for: "1s", datasets: { reads: ["a"] } };
  expect(() => compile(nap)).toThrow("datasets has no effect on a sleep. Remove it.");
});
