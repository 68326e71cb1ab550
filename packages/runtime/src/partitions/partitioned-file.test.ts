// @module-tag D-32
/** Partitions of workflow files. */
import type { PlanError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { connect, loadWorkflow } from "../index.js";
import { until } from "@runledger/test-support/until";

const file = (partitions: string): string => `
workflow: hourly
version: "1"
partitions: ${partitions}
steps:
  - id: print
    command: [echo, { cel: partition.key }]
  - id: nap
    after: [print]
    sleep: { until: partition.start }
`;

test("expressions of a workflow file read the partition of the run", async () => {
  await using ledger = await connect("memory:");
  const workflow = await loadWorkflow(file('{ by: hour, start: "2026-01-01", end: "2026-01-01T01" }'));
  const { items } = await ledger.partitions.backfill(workflow, { concurrency: 2 });
  expect(items.map(({ key }) => key)).toEqual(["2026-01-01T00", "2026-01-01T01"]);
  await ledger.worker({ workflows: [workflow], pollMs: 5 });
  await until(async () => (await ledger.partitions.list(workflow)).items.every(({ state }) => state === "succeeded"));
});

test.each([
  ["{ by: week }", /^plan\.yaml:4:\d+ PLAN_SYNTAX : partitions(\.by)? must have by: day, by: hour or by: key\.$/],
  ["{ by: day }", /^plan\.yaml:4:13 PLAN_SYNTAX : partitions\.start is missing/],
  [
    '{ by: day, start: "2026-13-01" }',
    /^plan\.yaml:4:31 PLAN_OPTION_INVALID : partitions\.start must be a day such as/,
  ],
  ['{ by: key, keys: ["a", "a"] }', /^plan\.yaml:4:\d+ PLAN_OPTION_INVALID : partitions\.keys\[1\] is listed twice/],
  ['{ by: hour, start: "2026-01-01", timeZone: UTC }', /PLAN_UNKNOWN_FIELD : unknown field partitions\.timeZone/],
])("a file with partitions %s is refused at its line", async (partitions, problem) => {
  const error = await loadWorkflow(file(partitions), { name: "plan.yaml" }).catch((thrown: unknown) => thrown);
  const [first] = (error as PlanError).problems;
  expect(`${first.origin} ${first.code} ${first.step}: ${first.message}`).toMatch(problem);
});
