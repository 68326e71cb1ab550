import type { RunSummary } from "@runledger/client";
import { expect, test } from "vitest";
import { inOrder, noRows, released, withNews, withPage, type RunRows } from "./run-rows.js";

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

test("[U-30] what is being read does not move: new runs wait, and what no longer fits stays marked", () => {
  const known = withPage(noRows, [run(2), run(1)]);
  const news = { type: "change", runs: [run(3), run(2, 5)], gone: ["run-1"] } as const;
  const read = withNews(known, news, true);
  expect(ids(read)).toEqual(["run-2", "run-1"]);
  expect(read.byId.get("run-1")?.isGone).toBe(true);
  expect(read.byId.get("run-2")?.run.lastEventSeq).toBe(5);
  expect([...read.held.keys()]).toEqual(["run-3"]);
  expect(ids(released(read))).toEqual(["run-3", "run-2"]);
  expect(ids(withNews(known, news, false))).toEqual(["run-3", "run-2"]);
});

test("a page that is older than what the stream said changes nothing", () => {
  const told = withNews(noRows, { type: "snapshot", runs: [run(1, 9)], gone: [] }, false);
  expect(withPage(told, [run(1, 4)]).byId.get("run-1")?.run.lastEventSeq).toBe(9);
});
