// @module-tag E-31
import { test } from "vitest";
import { judgeReports } from "./seeds/judge-reports.js";
import { runSeeds } from "./seeds/seed-pool.js";

const SEEDS = 2000;

test(`${SEEDS} seeds: every run finishes correctly under faults`, { timeout: 1_800_000 }, async () => {
  judgeReports(await runSeeds(1, SEEDS), { seeds: SEEDS, leastHits: 50, leastMedian: 200 });
});
