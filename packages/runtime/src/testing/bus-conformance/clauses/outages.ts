import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { BusUnavailableError, type BusMessage } from "../../../outbox/event-bus.js";
import type { BusClause, BusFixture } from "../bus-clause.js";
import { messagesOf, upTo } from "../messages.js";

const WAIT_MS = 120_000;

/** Publishes like the outbox: again, until the bus is available. */
async function publishPatiently({ publish }: BusFixture, message: BusMessage): Promise<void> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await publish(message);
    } catch (error) {
      if (!(error instanceof BusUnavailableError) || performance.now() > until) throw error;
      await sleep(200);
    }
  }
}

export const outages: BusClause = {
  name: "outages",
  needs: ["takeDown", "bringUp"],
  tests: {
    "a bus that is down blames no event, and works again once it is up": async (fixture) => {
      const { publish, placesOf, under } = fixture;
      const [first, second] = messagesOf("run", 1, 2);
      await publish(first!);
      await under.takeDown!();
      for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(publish(second!), BusUnavailableError);
      await under.bringUp!();
      await publishPatiently(fixture, second!);
      const { run } = await placesOf(["run"], 2);
      assert.deepEqual([...new Set(run)], upTo(2));
    },
    "a bus that is down when it is opened works once it is up": async ({ under, another, publish, placesOf }) => {
      const [message] = messagesOf("run", 1, 1);
      await under.takeDown!();
      const late = another();
      await assert.rejects(publish(message!, late), BusUnavailableError);
      await under.bringUp!();
      await publishPatiently({ publish: (each: BusMessage) => publish(each, late) } as BusFixture, message!);
      const { run } = await placesOf(["run"], 1);
      assert.deepEqual([...new Set(run)], [1]);
    },
    "accepted events survive a crash of the broker": async (fixture) => {
      const { placesOf, under } = fixture;
      for (const message of messagesOf("before", 1, 5)) await publishPatiently(fixture, message);
      await under.takeDown!();
      await under.bringUp!();
      assert.deepEqual(await placesOf(["before"], 5), { before: upTo(5) });
    },
    "no event is lost or out of order if the broker crashes while runs are published": async (fixture) => {
      const runIds = upTo(8).map((n) => `run-${n}`);
      const publishRun = async (runId: string): Promise<void> => {
        for (const message of messagesOf(runId, 1, 30)) await publishPatiently(fixture, message);
      };
      const publishing = Promise.all(runIds.map(publishRun));
      await fixture.placesOf(runIds, 20);
      await fixture.under.takeDown!();
      await fixture.under.bringUp!();
      await publishing;
      const places = await fixture.placesOf(runIds, 240);
      for (const runId of runIds) assert.deepEqual([...new Set(places[runId])], upTo(30), runId);
    },
  },
};
