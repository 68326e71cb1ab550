import assert from "node:assert/strict";
import type { BusClause } from "../bus-clause.js";
import { messagesOf, upTo } from "../messages.js";

export const repeats: BusClause = {
  name: "repeats",
  needs: [],
  tests: {
    "a message that is published again is accepted, and arrives at least once": async ({ publish, placesOf }) => {
      const [first, second, third] = messagesOf("run", 1, 3);
      for (const message of [first!, second!, second!, third!]) await publish(message);
      const { run } = await placesOf(["run"], 3);
      assert.deepEqual([...new Set(run)], upTo(3));
    },
    "a rewound subscription delivers its events again": async ({ publish, placesOf }) => {
      const [message] = messagesOf("run", 1, 1);
      await publish(message!);
      await publish({ ...message!, subscriptionNumber: 2 });
      assert.deepEqual(await placesOf(["run"], 2), { run: [1, 1] });
    },
    "two subscriptions to the same destination both deliver an event": async ({ publish, placesOf }) => {
      const [message] = messagesOf("run", 1, 1);
      await publish(message!);
      await publish({ ...message!, subscriptionId: "another" });
      assert.deepEqual(await placesOf(["run"], 2), { run: [1, 1] });
    },
  },
};
