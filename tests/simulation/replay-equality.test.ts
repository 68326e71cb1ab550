/**
 * A worker is killed at an append, for every append there is, and another one goes on: the run ends in the state in
 * which it ends when nobody is killed, and each logical attempt is on record once (K5).
 */
import { expect, test } from "vitest";
import { killEverywhere } from "./seeds/seed-pool.js";

test.each([
  { when: "after", plans: 30 },
  { when: "before", plans: 10 },
] as const)(
  "[E-30] $plans plans: killed $when every single append, a run ends as if nobody had been killed",
  { timeout: 600_000 },
  async ({ when, plans }) => {
    const reports = await killEverywhere(1, plans, when);
    console.log(`killed ${when} ${reports.reduce((sum, { appends }) => sum + appends, 0)} appends`);
    expect(reports.flatMap(({ broken }) => broken)).toEqual([]);
    expect(reports.filter(({ appends }) => appends > 2)).toHaveLength(plans);
  },
);
