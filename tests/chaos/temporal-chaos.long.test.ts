// @module-tag T-20
/** Ten rounds of thirty faults, each with its own faults, servers and database. */
import { expect, test } from "vitest";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal } from "@runledger/test-support/temporal-server";
import { startChaosServer } from "./engine/chaos-server.js";
import { judgeAndPrint } from "./engine/report.js";
import { runTemporalRound } from "./temporal/temporal-round.js";

const FIRST_SEED = Number(process.env["CHAOS_SEED"] ?? 2000);
const ROUNDS = 10;
const OUTAGE_MS = 60_000;

describeWith("long chaos on a Temporal server", [requireTemporal], () => {
  test("300 faults: no run is lost or stuck, and the log is correct", { timeout: 7_200_000 }, async () => {
    await using server = await startChaosServer();
    let faults = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
      const round = await runTemporalRound(seed, await server.newDatabase(), OUTAGE_MS);
      judgeAndPrint(seed, round, { expectsRefused: false }); // all workers share an epoch
      for (const count of round.hits.values()) faults += count;
    }
    expect(faults).toBe(300);
  });
});
