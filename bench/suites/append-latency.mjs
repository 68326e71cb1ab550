import { drive, latency } from "../lib/callers.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { openRaw } from "../lib/raw.mjs";
import { alternate, median, quantile } from "../lib/rounds.mjs";

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "append-latency",
  measure: "one caller, median latency against a raw single-row INSERT and commit",
  target: 1.4,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("latency");
    const store = await openStore(url);
    const raw = await openRaw(url);
    const fences = await leaseRuns(store, 1000);
    const { take } = eventSource([...fences.keys()]);
    const { ours, other } = await alternate(bench, async () => {
      const events = take(bench.roundMs * 4);
      return {
        ours: () => drive({ callers: 1, items: events, forMs: bench.roundMs, call: appender(store, fences) }),
        other: () =>
          drive({
            callers: 1,
            items: events,
            forMs: bench.roundMs,
            call: async (event) => (await raw.insertOne(event)).rowCount ?? 0,
          }),
      };
    });
    await store.close();
    await raw.close();
    const typical = (/** @type {{ latencies: Float64Array }} */ round) => quantile(round.latencies, 0.5);
    const ratio = median(
      ours.map((round, index) => typical(round) / typical(/** @type {typeof round} */ (other[index]))),
    );
    return { ratio, details: [`ours ${latency(ours)}`, `raw ${latency(other)}`] };
  },
};
