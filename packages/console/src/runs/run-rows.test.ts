// @module-tag U-30
import type { RunSummary } from "@runledger/client";
import { expect, test } from "vitest";
import { inOrder, noRows, released, withUpdate, withPage, type RunRows } from "./run-rows.js";

function run(number: number, lastEventSeq = 1): RunSummary {
  const runId = `run-${number}`;
  return {
    runId,
    status: "RUNNING",
    lastEventSeq,
    tenantId: "default",
    createdAt: new Date(number * 1000).toISOString(),
  };
}

const ids = (rows: RunRows) => inOrder(rows).map(({ run: { runId } }) => runId);

test("rows do not move while the user reads: new runs are held and gone ones stay marked", () => {
  const known = withPage(noRows, [run(2), run(1)]);
  const update = { type: "change", runs: [run(3), run(2, 5)], gone: ["run-1"] } as const;
  const read = withUpdate(known, update, true);
  expect(ids(read)).toEqual(["run-2", "run-1"]);
  expect(read.byId.get("run-1")?.isGone).toBe(true);
  expect(read.byId.get("run-2")?.run.lastEventSeq).toBe(5);
  expect([...read.held.keys()]).toEqual(["run-3"]);
  expect(ids(released(read))).toEqual(["run-3", "run-2"]);
  expect(ids(withUpdate(known, update, false))).toEqual(["run-3", "run-2"]);
});

test("a page that is older than the stream changes nothing", () => {
  const streamed = withUpdate(noRows, { type: "snapshot", runs: [run(1, 9)], gone: [] }, false);
  expect(withPage(streamed, [run(1, 4)]).byId.get("run-1")?.run.lastEventSeq).toBe(9);
});
