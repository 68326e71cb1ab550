// @module-tag E-33
/** Twenty rounds of fifty faults, each with its own faults and database. */
import { expect, test } from "vitest";
import { startChaosServer } from "./engine/chaos-server.js";
import { EVERY_PLACE, planFaults } from "./engine/planned-faults.js";
import { judgeAndPrint } from "./engine/report.js";
import { runRound } from "./engine/round.js";

const FIRST_SEED = Number(process.env["CHAOS_SEED"] ?? 1000);
const ROUNDS = 20;

test("1,000 faults: no run is lost or stuck, and the log is correct", async () => {
  await using server = await startChaosServer();
  let faults = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    const round = await runRound(seed, planFaults(seed, EVERY_PLACE), await server.newDatabase());
    judgeAndPrint(seed, round);
    for (const count of round.hits.values()) faults += count;
  }
  expect(faults).toBe(1000);
});
