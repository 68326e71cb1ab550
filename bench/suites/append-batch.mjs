import { describe, drive } from "../lib/callers.mjs";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { bestShape, EVENTS_PER_MS, insertRaw, openRaw } from "../lib/raw.mjs";
import { alternate } from "../lib/rounds.mjs";

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "append-batch",
  measure: "appendEvents of 500 events of one run, 4 callers, against raw",
  target: 0.75,
  reach: "at least",
  async run(bench) {
    const url = await bench.database("batch");
    const store = await openStore(url);
    const raw = await openRaw(url);
    const { take, takeOfOneRun } = eventSource(newRunIds(1000));
    const shape = await bestShape(bench, raw, take);
    const { ratio, ours, other } = await alternate(bench, async () => {
      const calls = Array.from({ length: (bench.roundMs * EVENTS_PER_MS) / 500 }, () => takeOfOneRun(500));
      const call = async (/** @type {readonly import("@runledger/contracts").NewEvent[]} */ events) =>
        (await store.appendEvents(events)).length;
      return {
        ours: () => drive({ callers: 4, items: calls, forMs: bench.roundMs, call }),
        other: () => insertRaw(raw, shape, calls.flat(), bench.roundMs),
      };
    });
    await store.close();
    await raw.close();
    const rawShape = `${shape.connections} × ${shape.batch}`;
    return { ratio, details: [describe("ours", ours), describe(`raw (${rawShape})`, other)] };
  },
};
