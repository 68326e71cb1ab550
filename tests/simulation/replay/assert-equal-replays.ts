import { expect } from "vitest";
import { killEverywhere } from "../seeds/seed-pool.js";
import type { When } from "./kill-everywhere.js";

/** Kills a worker at every append of these plans in turn, and compares each outcome with that without a kill. */
export async function assertEqualReplays(first: number, plans: number, when: When): Promise<void> {
  const reports = await killEverywhere(first, first + plans - 1, when);
  console.log(`killed ${when} ${reports.reduce((sum, { appends }) => sum + appends, 0)} appends`);
  expect(reports.flatMap(({ broken }) => broken)).toEqual([]);
  expect(reports.filter(({ appends }) => appends > 2)).toHaveLength(plans);
}
