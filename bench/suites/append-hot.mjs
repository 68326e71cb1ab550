import { describe, drive } from "../lib/callers.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, countingCommits, leaseRuns, openStore } from "../lib/ledger.mjs";
import { bestShape, eventsPerRound, insertRaw, openRaw, rawWithInFlight } from "../lib/raw.mjs";
import { alternate } from "../lib/rounds.mjs";

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "append-hot",
  measure: "64 callers on one run, against raw",
  target: 0.65,
  reach: "at least",
  async run(bench) {
    const url = await bench.database("hot");
    const store = await openStore(url);
    const raw = await openRaw(url);
    const fences = await leaseRuns(store, 1);
    const { take } = eventSource([...fences.keys()]);
    const shape = await bestShape(bench, raw, take);
    const { ratio, ours, other, batch } = await countingCommits(url, () =>
      alternate(bench, async () => {
        const events = take(eventsPerRound(bench));
        return {
          ours: () => drive({ callers: 64, items: events, forMs: bench.roundMs, call: appender(store, fences) }),
          other: () => insertRaw(raw, shape, events, bench.roundMs),
        };
      }),
    );
    const inFlight = await rawWithInFlight(bench, raw, 64, take);
    await store.close();
    await raw.close();
    const rawShape = `${shape.connections} × ${shape.batch}`;
    return { ratio, details: [`${describe("ours", ours)}, ${batch}`, describe(`raw (${rawShape})`, other), inFlight] };
  },
};
