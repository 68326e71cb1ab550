/**
 * Several workers on a virtual clock, with calls that are delayed, fail, get no answer, and processes that stand still
 * or die. One seed is one plan, its runs and everything that goes wrong; the same seed is the same run of events.
 */
import { expect, test } from "vitest";
import { judge } from "./invariants/judge.js";
import { judgeReports } from "./seeds/judge-reports.js";
import { runSeeds } from "./seeds/seed-pool.js";
import { simulate } from "./world/simulate.js";

const SEEDS = 2000;
/** One seed instead of all of them, and everything that it wrote. */
const ONLY = process.env["SIMULATION_SEED"];

if (ONLY === undefined) {
  test("[E-31] a seed does the same thing every time", async () => {
    for (const seed of [3, 14, 159]) expect(await story(seed)).toEqual(await story(seed));
  });

  test(`[E-31] ${SEEDS} seeds: whatever goes wrong, every run ends as it should`, { timeout: 1_800_000 }, async () => {
    judgeReports(await runSeeds(1, SEEDS), SEEDS);
  });
} else {
  test(`seed ${ONLY}`, async () => {
    const simulated = await simulate(Number(ONLY));
    for (const { runId, events } of simulated.history.logs) {
      for (const { runSeq, persistedAt, eventType, stepId = "", logicalAttemptId, eventData } of events) {
        console.log(runId, runSeq, persistedAt, eventType, stepId, logicalAttemptId, JSON.stringify(eventData));
      }
    }
    expect(judge(simulated)).toEqual([]);
  });
}

/** Everything but the ids that are drawn anew. */
async function story(seed: number): Promise<unknown> {
  const { history, hits } = await simulate(seed);
  const logs = history.logs.map(({ events }) => events.map(({ eventId: _, ...event }) => event));
  return { logs, hits, calls: history.operations.map(({ kind, client, invoked }) => [kind, client, invoked]) };
}
