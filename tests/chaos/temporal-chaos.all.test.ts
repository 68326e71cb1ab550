// @module-tag T-20
import { expect, test } from "vitest";
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal } from "@runledger/test-support/temporal-server";
import { startChaosServer } from "./engine/chaos-server.js";
import { judgeAndPrint } from "./engine/report.js";
import { runTemporalRound } from "./temporal/temporal-round.js";

/** CHAOS_SEED=123 repeats the same faults; their timing also depends on the machine. */
const SEED = Number(process.env["CHAOS_SEED"] ?? 20);
const OUTAGE_MS = 60_000;

describeWith("chaos on a Temporal server", [requireTemporal], () => {
  test(
    "30 faults (kill -9 of workers, Temporal and PostgreSQL, SIGSTOP, a minute without the store): no run is lost or stuck",
    { timeout: 1_800_000 },
    async () => {
      await using server = await startChaosServer();
      const round = await runTemporalRound(SEED, await server.newDatabase(), OUTAGE_MS);
      judgeAndPrint(SEED, round, { expectsRefused: false }); // all workers share an epoch
      expect(round.started.length).toBeGreaterThan(20);
    },
  );
});
