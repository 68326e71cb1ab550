import assert from "node:assert/strict";
import type { BusClause } from "../bus-clause.js";
import { eventAt, messageOf, upTo } from "../messages.js";

export const batches: BusClause = {
  name: "batches",
  needs: [],
  tests: {
    "a message with as many events as the bus takes arrives complete and in order": async (fixture) => {
      const { bus, publish, placesOf } = fixture;
      const size = bus.batchSize ?? 1;
      assert.ok(Number.isInteger(size) && size >= 1, `batchSize is ${size}`);
      await publish(messageOf(...upTo(size).map((seq) => eventAt("run", seq))));
      await publish(messageOf(eventAt("run", size + 1)));
      assert.deepEqual(await placesOf(["run"], size + 1), { run: upTo(size + 1) });
    },
    "a message may be much larger than one event": async ({ bus, publish, placesOf }) => {
      const size = Math.min(bus.batchSize ?? 1, 20);
      const large = { text: "x".repeat(100_000) };
      await publish(messageOf(...upTo(size).map((seq) => eventAt("run", seq, large))));
      assert.deepEqual(await placesOf(["run"], size), { run: upTo(size) });
    },
  },
};
