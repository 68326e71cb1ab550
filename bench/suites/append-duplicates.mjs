import { describe, drive } from "../lib/callers.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { bestShape, eventsPerRound, insertRaw, openRaw } from "../lib/raw.mjs";
import { alternate } from "../lib/rounds.mjs";

/** Smaller than any batch that 64 callers make: so every batch has one. */
const EVERY = 16;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "append-duplicates",
  measure: "64 callers, one event per call, 1,000 runs, at least one duplicate in every batch, against raw without any",
  target: 0.3,
  reach: "at least",
  async run(bench) {
    const url = await bench.database("duplicates");
    const store = await openStore(url);
    const raw = await openRaw(url);
    const fences = await leaseRuns(store, 1000);
    const { take } = eventSource([...fences.keys()]);
    const shape = await bestShape(bench, raw, take);
    const stored = take(1000);
    await drive({ callers: 64, items: stored, forMs: Infinity, call: appender(store, fences) });
    const { ratio, ours, other } = await alternate(bench, async () => {
      const events = take(eventsPerRound(bench));
      const items = events.map((event, index) =>
        index % EVERY === 0 ? (stored[index % stored.length] ?? event) : event,
      );
      return {
        ours: () => drive({ callers: 64, items, forMs: bench.roundMs, call: newOnly(store, fences) }),
        other: () => insertRaw(raw, shape, events, bench.roundMs),
      };
    });
    await store.close();
    await raw.close();
    const rawShape = `${shape.connections} × ${shape.batch}`;
    return { ratio, details: [describe("ours", ours), describe(`raw (${rawShape})`, other)] };
  },
};

/**
 * As the others do, but what was stored before does not count.
 * @param {import("@runledger/store-postgres").PostgresStore} store
 * @param {ReadonlyMap<string, number>} fences
 */
function newOnly(store, fences) {
  return async (/** @type {import("@runledger/contracts").NewEvent} */ event) => {
    const results = await store.appendEvents([event], { fence: /** @type {number} */ (fences.get(event.runId)) });
    return results.filter(({ persisted }) => persisted).length;
  };
}
