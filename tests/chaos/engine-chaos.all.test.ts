// @module-tag E-33
import { expect, test } from "vitest";
import { startChaosServer } from "./engine/chaos-server.js";
import { EVERY_PLACE, planFaults } from "./engine/planned-faults.js";
import { judgeAndPrint } from "./engine/report.js";
import { runRound } from "./engine/round.js";

/** CHAOS_SEED=123 repeats the same faults; their timing also depends on the machine. */
const SEED = Number(process.env["CHAOS_SEED"] ?? 33);

test(
  "50 faults (kill -9 of workers and server, SIGSTOP past the lease): no run is lost or stuck",
  { timeout: 900_000 },
  async () => {
    await using server = await startChaosServer();
    const round = await runRound(SEED, planFaults(SEED, EVERY_PLACE), await server.newDatabase());
    judgeAndPrint(SEED, round);
    expect(round.started.length).toBeGreaterThan(20);
  },
);
