import assert from "node:assert/strict";
import type { BusClause } from "../bus-clause.js";
import { messagesOf } from "../messages.js";

export const closing: BusClause = {
  name: "closing",
  needs: [],
  tests: {
    "a bus that published nothing closes": async ({ another, placesOf, publish }) => {
      await another().close?.();
      await publish(messagesOf("run", 1, 1)[0]!);
      assert.deepEqual(await placesOf(["run"], 1), { run: [1] });
    },
    "everything that was accepted before closing arrives": async ({ another, publish, placesOf }) => {
      const bus = another();
      await Promise.all(["a", "b", "c"].map((runId) => publish(messagesOf(runId, 1, 1)[0]!, bus)));
      await bus.close?.();
      assert.deepEqual(await placesOf(["a", "b", "c"], 3), { a: [1], b: [1], c: [1] });
    },
  },
};
