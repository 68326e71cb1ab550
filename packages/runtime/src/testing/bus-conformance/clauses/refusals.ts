import assert from "node:assert/strict";
import { BusUnavailableError } from "../../../outbox/event-bus.js";
import type { BusClause } from "../bus-clause.js";
import { eventAt, messageOf, messagesOf } from "../messages.js";

export const refusals: BusClause = {
  name: "refusals",
  needs: ["refused"],
  tests: {
    "a refused event fails by itself, and does not arrive": async ({ publish, placesOf, under }) => {
      const refused = messageOf(under.refused!(eventAt("bad", 1)));
      const failed = await publish(refused).then(
        () => assert.fail("the bus accepted an event that it must refuse"),
        (error: unknown) => error,
      );
      assert.ok(failed instanceof Error);
      assert.ok(!(failed instanceof BusUnavailableError), `the bus counts as unavailable: ${failed.message}`);
      for (const message of messagesOf("good", 1, 3)) await publish(message);
      assert.deepEqual(await placesOf(["good", "bad"], 3), { good: [1, 2, 3] });
    },
    "after a refused event, the bus accepts the next one of the run": async ({ publish, placesOf, under }) => {
      const [first, , third] = messagesOf("run", 1, 3);
      await publish(first!);
      await assert.rejects(publish(messageOf(under.refused!(eventAt("run", 2)))));
      await publish(third!);
      assert.deepEqual(await placesOf(["run"], 2), { run: [1, 3] });
    },
  },
};
