import type { ClaimedDelivery } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { once } from "node:events";
import { expect, test } from "vitest";
import { OpenBuses } from "./open-buses.js";

const name = { tenantId: "default", subscriptionId: "s" };
const definition = { bus: { type: "here" }, filter: {}, maxAttempts: 1 };

async function world() {
  const { outbox } = new MemoryStore();
  const closed: string[] = [];
  let opened = 0;
  const open = () => {
    const id = `bus ${++opened}`;
    return { publish: async () => {}, close: async () => void closed.push(id) };
  };
  const buses = new OpenBuses(outbox, new Map([["here", { open }]]), { resolve: async () => ({}) });
  const { number, version } = (await outbox.createSubscription({ ...name, definition, startsAt: null }))!;
  const place = { runId: "r", deliveredSeq: 0, headSeq: 1, attempts: 0, failures: 0, othersDelivered: false };
  const claimed: ClaimedDelivery = { ...name, ...place, number, version, token: "claim", startsAt: null };
  return { outbox, buses, closed, claimed };
}

test("a bus whose subscription has changed is closed once its messages are published", async () => {
  const { outbox, buses, closed, claimed } = await world();
  const finish = new AbortController();
  const publishing = buses.use(claimed, () => once(finish.signal, "abort"));
  const { version } = (await outbox.changeSubscription(name, { ...definition, maxAttempts: 2 }))!;
  const found = await buses.use({ ...claimed, version }, async (open) => open?.subscription.definition.maxAttempts);
  expect(found).toBe(2);
  expect(closed).toEqual([]);
  finish.abort();
  await publishing;
  await expect.poll(() => closed).toEqual(["bus 1"]);
  await buses.close();
  await expect.poll(() => closed).toEqual(["bus 1", "bus 2"]);
});
