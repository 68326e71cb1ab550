import assert from "node:assert/strict";
import type { BusClause } from "../bus-clause.js";
import { messagesOf, upTo } from "../messages.js";

export const order: BusClause = {
  name: "order",
  needs: [],
  tests: {
    "the events of a run arrive in the order of their messages": async ({ publish, placesOf }) => {
      for (const message of messagesOf("run", 1, 12)) await publish(message);
      assert.deepEqual(await placesOf(["run"], 12), { run: upTo(12) });
    },
    "runs that are published at the same time keep their own order": async ({ publish, placesOf }) => {
      const runIds = upTo(16).map((n) => `run-${n}`);
      const publishRun = async (runId: string): Promise<void> => {
        for (const message of messagesOf(runId, 1, 5)) await publish(message);
      };
      await Promise.all(runIds.map(publishRun));
      const expected = Object.fromEntries(runIds.map((runId) => [runId, upTo(5)]));
      assert.deepEqual(await placesOf(runIds, 80), expected);
    },
  },
};
