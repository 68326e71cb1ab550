// @module-tag B-10
/** PostgreSQL stalls while a worker with a latency budget executes a run (B1). */
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runStalled, type StalledRun, type StallPoint } from "./stalled-run.js";

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.drop());

/** The append that starts only the second attempt of a step, and the one that records its completion. */
const START = { call: "appendEvents", nth: 3 } as const;
const COMPLETION = { call: "appendEvents", nth: 4 } as const;
const OWN_FAILURE = "STEP_ERROR";

const stalled = (point: StallPoint, stallMs: number, isBudgeted = true): Promise<StalledRun> =>
  runStalled(database.url, { point, stallMs, isBudgeted });

test("a step whose start is late runs during the stall, and the log then has its start before its end", async () => {
  const sides = ["request", "answer"] as const;
  for (const run of await Promise.all(sides.map((side) => stalled({ ...START, side }, 1000)))) {
    expect(run.executed).toContain("first 2");
    expect(new Set(run.alerts)).toEqual(new Set(["APPEND_BUDGET_EXCEEDED"]));
    expect(run.calls.map(({ types }) => types[0])).toContain("StepStarted");
  }
});

test("a step whose completion is late fails, and is retried, unless the log has its completion after all", async () => {
  const behindItsStart = await stalled({ ...START, side: "request" }, 1000);
  expect(new Set(behindItsStart.failures)).toEqual(new Set([OWN_FAILURE, "APPEND_BUDGET_EXCEEDED"]));
  const stored = await stalled({ ...COMPLETION, side: "answer" }, 1000);
  expect(stored.alerts).toContain("APPEND_BUDGET_EXCEEDED");
  expect(stored.failures).toEqual([OWN_FAILURE]);
});

test("without a budget, a worker waits for a stalled append", async () => {
  const run = await stalled({ ...START, side: "request" }, 1000, false);
  expect(run).toMatchObject({ isHit: true, executed: [], alerts: [], failures: [OWN_FAILURE] });
});
