// @module-tag E-31
/**
 * Simulates several workers on a virtual clock. Calls are delayed, fail or lose their response; processes are suspended or
 * killed. A seed determines one plan, its runs and every fault, so a seed always replays the same events.
 */
import { expect, test } from "vitest";
import { judge } from "./invariants/judge.js";
import { judgeReports } from "./seeds/judge-reports.js";
import { runSeeds } from "./seeds/seed-pool.js";
import { turnOfToday } from "./seeds/turn-of-today.js";
import { simulate } from "./world/simulate.js";

/** Number of seeds per day. Each day uses other seeds, in rotation. `test:all` counts how often each fault hit. */
const SEEDS = 75;
const TURNS = 240;
const first = 1 + turnOfToday(TURNS) * SEEDS;
/** Runs one seed instead of all, and prints its logs. */
const ONLY = process.env["SIMULATION_SEED"];

if (ONLY === undefined) {
  test("a seed is deterministic", async () => {
    for (const seed of [3, 14, 159]) expect(await story(seed)).toEqual(await story(seed));
  });

  test(`${SEEDS} seeds: every run finishes correctly under faults`, { timeout: 1_800_000 }, async () => {
    judgeReports(await runSeeds(first, first + SEEDS - 1), { seeds: SEEDS, leastHits: 0, leastMedian: 100 });
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

/** Everything except randomly generated ids and stack traces, which contain the caller. */
async function story(seed: number): Promise<unknown> {
  const { history, hits } = await simulate(seed);
  const logs = history.logs.map(({ events }) =>
    events.map(({ eventId: _, parentEventId: __, ...event }) => withoutStack(event)),
  );
  return { logs, hits, calls: history.operations.map(({ kind, client, invoked }) => [kind, client, invoked]) };
}

function withoutStack(event: { readonly eventData: unknown }): unknown {
  const { stack: _, ...eventData } = event.eventData as { readonly stack?: string };
  return { ...event, eventData };
}
