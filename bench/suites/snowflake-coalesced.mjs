import { SnowflakeStore } from "@runledger/store-snowflake";
import { startEmulator } from "@runledger/test-support/snowflake-emulator.mjs";
import { describe, drive } from "../lib/callers.mjs";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { alternate } from "../lib/rounds.mjs";

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "snowflake-coalesced",
  measure: "on the emulator, 64 callers with one event per call, against one event per transaction",
  target: 20,
  reach: "at least",
  async run(bench) {
    const emulator = await startEmulator().catch((/** @type {unknown} */ error) => /** @type {Error} */ (error));
    if (emulator instanceof Error)
      return { ratio: 0, details: [], failed: `there is no emulator: ${emulator.message}` };
    const url = emulator.url("BENCH");
    const [shared, alone] = [
      await SnowflakeStore.open({ url }),
      await SnowflakeStore.open({ url, gatheringWindowMs: 0, poolSize: 1 }),
    ];
    const { take } = eventSource(newRunIds(100));
    const { ratio, ours, other } = await alternate({ ...bench, rounds: Math.min(bench.rounds, 3) }, async () => ({
      ours: () => drive({ callers: 64, items: take(4000), forMs: bench.roundMs, call: appending(shared) }),
      other: () => drive({ callers: 1, items: take(200), forMs: bench.roundMs, call: appending(alone) }),
    }));
    await shared.close();
    await alone.close();
    await emulator.stop();
    return { ratio, details: [describe("64 callers", ours), describe("one event per transaction", other)] };
  },
};

/** @param {SnowflakeStore} store */
function appending(store) {
  return async (/** @type {import("@runledger/contracts").NewEvent} */ event) =>
    (await store.appendEvents([event])).length;
}
