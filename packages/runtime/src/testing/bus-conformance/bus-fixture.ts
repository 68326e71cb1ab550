import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { publishInTime, type EventBus } from "../../outbox/event-bus.js";
import type { BusFixture, BusUnderTest } from "./bus-clause.js";
import { TENANT } from "./messages.js";

const PUBLISH_MS = 10_000;
const WAIT_MS = 120_000;

/** Opens a bus for one test, in which consumers read events within `waitMs`. `close` closes every bus that the test opened. */
export function openFixture(under: BusUnderTest, waitMs = WAIT_MS): BusFixture & { close(): Promise<void> } {
  const opened: EventBus[] = [];
  const open = (): EventBus => {
    const { secrets = async () => [] } = under;
    const bus = under.factory.open(under.settings, { tenantId: TENANT, secrets });
    opened.push(bus);
    return bus;
  };
  const bus = open();
  return {
    bus,
    under,
    another: open,
    publish: (message, through = bus) => publishInTime(through, message, PUBLISH_MS),
    placesOf: (runIds, count) => placesOf(under, runIds, count, waitMs),
    close: async () => void (await Promise.all(opened.map(async (each) => each.close?.()))),
  };
}

async function placesOf(under: BusUnderTest, runIds: readonly string[], count: number, waitMs: number) {
  const until = performance.now() + waitMs;
  for (;;) {
    const events = (await under.received()).filter(({ partitionkey }) => runIds.includes(partitionkey));
    if (events.length >= count) return byRun(events);
    assert.ok(performance.now() < until, `consumers read ${events.length} events of ${count}`);
    await sleep(50);
  }
}

function byRun(events: Awaited<ReturnType<BusUnderTest["received"]>>): Record<string, number[]> {
  const places: Record<string, number[]> = {};
  for (const { partitionkey, sequence } of events) (places[partitionkey] ??= []).push(Number(sequence));
  return places;
}
