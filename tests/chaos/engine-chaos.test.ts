import { expect, test } from "vitest";
import { chaosPlace } from "./engine/place.js";
import { judgeAndPrint } from "./engine/report.js";
import { runRound } from "./engine/round.js";

/** CHAOS_SEED=123 deals the same fates again; what they meet also depends on the machine. */
const SEED = Number(process.env["CHAOS_SEED"] ?? 33);

test(
  "[E-33] 50 faults, kill -9 of workers and of the server, SIGSTOP past the lease: no run lost, none stuck, nothing wrong",
  { timeout: 900_000 },
  async () => {
    await using place = await chaosPlace();
    const round = await runRound(SEED, await place.fresh());
    judgeAndPrint(SEED, round);
    expect(round.started.length).toBeGreaterThan(20);
  },
);
