/** Twenty rounds of fifty faults, each with other fates on a database of its own. */
import { expect, test } from "vitest";
import { chaosPlace } from "./engine/place.js";
import { judgeAndPrint } from "./engine/report.js";
import { runRound } from "./engine/round.js";

const FIRST_SEED = Number(process.env["CHAOS_SEED"] ?? 1000);
const ROUNDS = 20;

test("[E-33] 1,000 faults: no run lost, none stuck, nothing wrong", async () => {
  await using place = await chaosPlace();
  let faults = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    const round = await runRound(seed, await place.fresh());
    judgeAndPrint(seed, round);
    for (const count of round.hits.values()) faults += count;
  }
  expect(faults).toBe(1000);
});
