// @module-tag E-32
/** Shows that the simulation finds each planted bug, by the right invariant, within the default number of seeds. */
import { beforeAll, expect, test } from "vitest";
import { bugs } from "./planted/bugs.js";
import { findBugs } from "./seeds/seed-pool.js";
import type { BugReport } from "./seeds/seed-report.js";

const SEEDS = 2000;
let reports: readonly BugReport[] = [];

beforeAll(async () => {
  reports = await findBugs(
    bugs.map(({ name }) => name),
    SEEDS,
  );
}, 1_800_000);

test.each(bugs.map(({ name }) => name))("the simulation finds: %s", (name) => {
  const { found } = reports.find(({ bug }) => bug === name)!;
  console.log(found === null ? "not found" : `seed ${found.seed}: ${found.broken.invariant}: ${found.broken.message}`);
  expect(found).not.toBeNull();
});

test("at least twenty bugs are planted", () => {
  expect(new Set(bugs.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20);
});
