/**
 * Several workers on a virtual clock, with calls that are delayed, fail, get no answer, and processes that stand still
 * or die. One seed is one plan, its runs and everything that goes wrong; the same seed is the same run of events.
 * To see one seed again: SIMULATION_SEED=123 npx vitest run tests/simulation/default-seeds.long.test.ts
 */
import { expect, test } from "vitest";
import { judge } from "./invariants/judge.js";
import { judgeReports } from "./seeds/judge-reports.js";
import { runSeeds } from "./seeds/seed-pool.js";
import { simulate } from "./world/simulate.js";

const SEEDS = 2000;
const ONLY = process.env["SIMULATION_SEED"];

if (ONLY !== undefined) {
  test(`seed ${ONLY}`, { timeout: 60_000 }, async () => {
    const simulated = await simulate(Number(ONLY));
    for (const { runId, events } of simulated.history.logs) {
      for (const { runSeq, persistedAt, eventType, stepId = "", logicalAttemptId, eventData } of events) {
        console.log(runId, runSeq, persistedAt, eventType, stepId, logicalAttemptId, JSON.stringify(eventData));
      }
    }
    expect(judge(simulated)).toEqual([]);
  });
}

test("[E-31] a seed does the same thing every time", { timeout: 60_000 }, async () => {
  const told = async (seed: number): Promise<unknown> => {
    const { history } = await simulate(seed);
    return history.logs.map(({ runId, events }) =>
      events.map(({ runSeq, persistedAt, eventType, stepId, logicalAttemptId, engineAttemptId }) => {
        return [runId, runSeq, persistedAt, eventType, stepId, logicalAttemptId, engineAttemptId];
      }),
    );
  };
  for (const seed of [3, 14, 159]) expect(await told(seed)).toEqual(await told(seed));
});

test(`[E-31] ${SEEDS} seeds: whatever goes wrong, every run ends as it should`, { timeout: 900_000 }, async () => {
  judgeReports(await runSeeds(1, SEEDS), SEEDS);
});
