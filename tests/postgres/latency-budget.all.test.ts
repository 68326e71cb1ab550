// @module-tag B-10
/** PostgreSQL stalls at every call of a worker with a latency budget, for 100 ms to 60 s (B1). */
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runStalled, type StallPoint } from "./stalled-run.js";

let database: FreshDatabase;
let points: readonly StallPoint[];

/** A worker repeats these calls by time, so later ones differ between runs. */
const REPEATED = new Set(["queue.claimRuns", "queue.heldRuns", "leases.heartbeat"]);
const AT_A_TIME = 12;

beforeAll(async () => {
  database = await freshDatabase();
  const { calls } = await runStalled(database.url, { point: null, stallMs: 0 });
  const names = [...new Set(calls.map(({ name }) => name))];
  points = names.flatMap((call) => {
    const count = calls.filter(({ name }) => name === call).length;
    const most = REPEATED.has(call) ? Math.min(count, 3) : count;
    return Array.from({ length: most }, (_, index) => index + 1).flatMap((nth) => [
      { call, nth, side: "request" as const },
      { call, nth, side: "answer" as const },
    ]);
  });
});

afterAll(() => database.drop());

/** Makes some at a time, so that the database has enough connections. */
async function inGroups<T>(all: readonly StallPoint[], make: (point: StallPoint) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let at = 0; at < all.length; at += AT_A_TIME)
    made.push(...(await Promise.all(all.slice(at, at + AT_A_TIME).map(make))));
  return made;
}

test.each([100, 1000, 10_000, 60_000])(
  "a run completes once, in order, and leaves nothing in the spool if PostgreSQL stalls for %i ms at any call",
  { timeout: 900_000 },
  async (stallMs) => {
    const runs = await inGroups(points, async (point) => ({
      point,
      ...(await runStalled(database.url, { point, stallMs })),
    }));
    const known = ["STEP_ERROR", "APPEND_BUDGET_EXCEEDED"];
    for (const { failures } of runs) expect(failures.filter((code) => !known.includes(code))).toEqual([]);
    const appends = runs.filter(({ point }) => point.call === "appendEvents");
    expect(appends.map(({ isHit }) => isHit)).toEqual(appends.map(() => true));
    if (stallMs < 1000) return;
    for (const { point, alerts } of appends)
      expect([point, alerts]).toEqual([point, expect.arrayContaining(["APPEND_BUDGET_EXCEEDED"])]);
  },
);
