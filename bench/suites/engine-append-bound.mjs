import { describe, drive } from "../lib/callers.mjs";
import { EVENTS, openOurs, runMany } from "../lib/engine.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { eventsPerRound } from "../lib/raw.mjs";
import { alternate } from "../lib/rounds.mjs";

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "engine-append-bound",
  measure: "events/s of 10-step no-op workflows, 64 in flight, against 64 callers that append one event each",
  target: 0.4,
  reach: "at least",
  async run(bench) {
    const engine = await openOurs(await bench.database("engine"));
    const store = await openStore(await bench.database("append"));
    const fences = await leaseRuns(store, 1000);
    const { take } = eventSource([...fences.keys()]);
    const forMs = 2 * bench.roundMs;
    const { ratio, ours, other } = await alternate(bench, async () => {
      const items = take(eventsPerRound(bench));
      return {
        ours: async () => {
          const run = await runMany(engine, { callers: 64, forMs });
          return { ...run, value: (run.value / 10) * EVENTS };
        },
        other: () => drive({ callers: 64, items, forMs: bench.roundMs, call: appender(store, fences) }),
      };
    });
    await engine.close();
    await store.close();
    return { ratio, details: [describe("engine", ours), describe("append-concurrent", other)] };
  },
};
