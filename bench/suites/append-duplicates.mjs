import { describe, drive } from "../lib/callers.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { bestShape, EVENTS_PER_MS, insertRaw, openRaw } from "../lib/raw.mjs";
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
    const [stored] = [take(1)];
    const repeated = /** @type {import("@runledger/contracts").NewEvent} */ (stored[0]);
    await appender(store, fences)(repeated);
    const { ratio, ours, other } = await alternate(bench, async () => {
      const events = take(bench.roundMs * EVENTS_PER_MS);
      const items = events.map((event, index) => (index % EVERY === 0 ? repeated : event));
      return {
        ours: () => drive({ callers: 64, items, forMs: bench.roundMs, call: appender(store, fences) }),
        other: () => insertRaw(raw, shape, events, bench.roundMs),
      };
    });
    await store.close();
    await raw.close();
    const rawShape = `${shape.connections} × ${shape.batch}`;
    return { ratio, details: [describe("ours", ours), describe(`raw (${rawShape})`, other)] };
  },
};
