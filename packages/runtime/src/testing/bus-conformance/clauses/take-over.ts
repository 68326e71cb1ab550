import assert from "node:assert/strict";
import type { BusClause } from "../bus-clause.js";
import { messagesOf, upTo } from "../messages.js";

export const takeOver: BusClause = {
  name: "take over",
  needs: [],
  tests: {
    "another process continues a run in order": async ({ bus, another, publish, placesOf }) => {
      const buses = [bus, another()];
      for (const [n, message] of messagesOf("run", 1, 8).entries()) await publish(message, buses[n % 2]);
      assert.deepEqual(await placesOf(["run"], 8), { run: upTo(8) });
    },
    "a closed bus does not stop another one": async ({ another, publish, placesOf }) => {
      const [first, second] = messagesOf("run", 1, 2);
      const closing = another();
      await publish(first!, closing);
      await closing.close?.();
      await publish(second!);
      assert.deepEqual(await placesOf(["run"], 2), { run: upTo(2) });
    },
  },
};
