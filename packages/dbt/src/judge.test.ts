// @module-tag D-22
/** Exit code, stream and run_results.json must agree. */
import { describe, expect, test } from "vitest";
import { differences, type Reports } from "./judge.js";
import type { RunResults } from "./run-results.js";

const good = new Map([
  ["model.a", "success"],
  ["test.a", "pass"],
]);
const bad = new Map([
  ["model.a", "error"],
  ["test.a", "skipped"],
]);

const results = (invocationId: string, statuses: ReadonlyMap<string, string>, hooks: object = {}): RunResults => ({
  invocationId,
  statuses,
  hooks: new Map(Object.entries(hooks) as [string, string][]),
});

function reports(more: Partial<Reports> = {}): Reports {
  const statuses = more.statuses ?? good;
  const code = statuses === bad ? 1 : 0;
  return {
    exit: { code, signal: null },
    invocationId: "i1",
    success: code === 0,
    statuses,
    announced: statuses.size,
    results: results("i1", statuses),
    expected: null,
    ...more,
  };
}

test("equal reports have no difference, of a success and of a failure", () => {
  expect(differences(reports())).toEqual([]);
  expect(differences(reports({ statuses: bad }))).toEqual([]);
});

describe("a difference", () => {
  const cases: readonly (readonly [string, Reports, string])[] = [
    ["no results", reports({ results: null }), "dbt ran nodes, but wrote no readable run_results.json."],
    [
      "results of another invocation",
      reports({ results: results("i0", good) }),
      "run_results.json belongs to invocation i0, the stream to i1.",
    ],
    [
      "another status",
      reports({ results: results("i1", new Map([...good, ["test.a", "fail"]])) }),
      "test.a is pass in the stream and fail in run_results.json.",
    ],
    [
      "a node that only the stream knows",
      reports({ results: results("i1", new Map([["model.a", "success"]])) }),
      "test.a is pass in the stream and missing in run_results.json.",
    ],
    ["fewer nodes than announced", reports({ announced: 3 }), "dbt announced 3 nodes and finished 2."],
    [
      "a selected node that did not run",
      reports({ expected: ["model.a", "test.a", "model.b"] }),
      "model.b was selected, but did not run.",
    ],
    [
      "exit code 0 with a failed hook",
      reports({ results: results("i1", good, { "operation.end": "error", "operation.start": "success" }) }),
      "The exit code is 0, but the hook operation.end is error.",
    ],
    [
      "exit code 0 with a failed node",
      reports({ statuses: bad, exit: { code: 0, signal: null }, success: true }),
      "The exit code is 0, but model.a did not succeed.",
    ],
    [
      "an exit code without a failed node",
      reports({ exit: { code: 1, signal: null }, success: false }),
      "The exit code is 1, but every node succeeded.",
    ],
    [
      "an exit code other than the stream's",
      reports({ statuses: bad, success: true }),
      "The exit code is 1, but the stream reports success.",
    ],
  ];
  test.each(cases)("is shown: %s", (_, given, text) => {
    expect(differences(given)).toEqual([text]);
  });
});
