import { test } from "vitest";
import { judgeReports } from "./seeds/judge-reports.js";
import { runSeeds } from "./seeds/seed-pool.js";

const SEEDS = 20_000;

test(`[E-31] ${SEEDS} seeds: whatever goes wrong, every run ends as it should`, async () => {
  judgeReports(await runSeeds(1, SEEDS), SEEDS);
});
