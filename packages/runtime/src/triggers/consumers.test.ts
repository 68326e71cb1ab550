// @module-tag B-06
/** Consumers on a source of this process: retries, rejections, pauses and sources that are unavailable. */
import { RetryError, type FullStateStore } from "@runledger/contracts";
import { until } from "@runledger/test-support/until";
import { z } from "zod";
import { expect, onTestFinished, test } from "vitest";
import { connect, workflow, type SourceFactory, type TriggerAlert } from "../index.js";

const flow = workflow("orders", { version: "1", input: z.object({ n: z.number() }) }, (w) => w.step("one", () => 1));

/** A queue that keeps a message until it is acknowledged. */
class Queue implements SourceFactory {
  readonly messages: { readonly id: string; readonly body: string; readonly storedAt: number }[] = [];
  readonly groups = new Set<string>();
  isDown = false;
  consumers = 0;

  add(id: string, data: unknown, storedAt = Date.now() + 60_000): void {
    this.messages.push({ id, body: typeof data === "string" ? data : JSON.stringify(data), storedAt });
  }

  open: SourceFactory["open"] = (_, { group }) => ({
    consume: async ({ handle, onReady, signal }) => {
      this.groups.add(group);
      if (this.isDown) throw new Error("refused");
      onReady();
      this.consumers++;
      while (!signal.aborted && !this.isDown) {
        const [first] = this.messages;
        if (first !== undefined) {
          await handle({ ...first, headers: {}, position: `queue@${first.id}` });
          this.messages.shift();
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      this.consumers--;
      if (!signal.aborted) throw new Error("lost");
    },
  });
}

async function world(change: (store: FullStateStore) => void = () => {}) {
  const ledger = await connect("memory:");
  onTestFinished(() => ledger.close());
  await ledger.worker({ workflows: [flow], pollMs: 5 });
  change(ledger.store);
  const queue = new Queue();
  const alerts: TriggerAlert[] = [];
  const onAlert = (alert: TriggerAlert): void => void alerts.push(alert);
  ledger.consumers({ sources: { queue }, pollMs: 5, onAlert, onFault: () => {} });
  const put = (options: object = {}) =>
    ledger.triggers.put({ id: "orders", source: { type: "queue" }, workflow: "orders", maxAttempts: 2, ...options });
  const trigger = async () => (await ledger.triggers.get("orders"))!;
  const runs = async () => (await ledger.list().page({ limit: 100 })).runs;
  return { ledger, queue, alerts, put, trigger, runs };
}

test("each event starts one run, and a repeated one returns it", async () => {
  const { queue, put, trigger, runs, ledger } = await world();
  await put({ labels: { kind: '"order"' } });
  for (const id of ["a", "b", "a", "b", "c"]) queue.add(id, { n: 1 });
  await until(async () => (await trigger()).started + (await trigger()).repeated === 5);
  expect(await trigger()).toMatchObject({ started: 3, repeated: 2, rejected: 0, lastError: null });
  const found = await runs();
  expect(found.length).toBe(3);
  const [event] = await ledger.store.fetchEvents(found[0]!.runId);
  expect(event?.eventData).toMatchObject({
    by: "trigger orders",
    trigger: { triggerId: "orders", eventId: "c" },
    labels: { kind: "order" },
  });
});

test("a poison event is rejected with an alert, and the next one starts its run", async () => {
  const { queue, put, trigger, alerts, ledger } = await world();
  await put();
  queue.add("bad", { n: "text" });
  queue.add("worse", "{");
  queue.add("good", { n: 1 });
  await until(async () => (await trigger()).started === 1);
  const { rejected, rejections, lastError } = await trigger();
  expect(rejected).toBe(2);
  expect(rejections.map(({ eventId, position }) => [eventId, position])).toEqual([
    [null, "queue@worse"],
    ["bad", "queue@bad"],
  ]);
  expect(lastError?.message).toBe("event: is not JSON.");
  expect(alerts.map(({ code, tenantId }) => [code, tenantId])).toEqual([
    ["TRIGGER_EVENT_REJECTED", "default"],
    ["TRIGGER_EVENT_REJECTED", "default"],
  ]);
  expect(ledger.alerts.map(({ message }) => message)).toContain(
    "trigger orders rejected the event at queue@worse: event: is not JSON.",
  );
});

test("an event waits while the store is unavailable, and is not blamed", async () => {
  let failures = 3;
  const { queue, put, trigger } = await world((store) => {
    const { startRun } = store.queue;
    store.queue.startRun = (start) => {
      if (failures-- > 0) return Promise.reject(new RetryError("STORE_UNAVAILABLE", "down"));
      return startRun(start);
    };
  });
  await put({ maxAttempts: 1 });
  queue.add("a", { n: 1 });
  await until(async () => (await trigger()).started === 1);
  expect(await trigger()).toMatchObject({ rejected: 0 });
});

test("a source that is unavailable is reported, and tried again", async () => {
  const { queue, put, trigger } = await world();
  queue.isDown = true;
  await put();
  await until(async () => (await trigger()).failures > 0);
  expect((await trigger()).lastError?.message).toBe("refused");
  queue.isDown = false;
  queue.add("a", { n: 1 });
  await until(async () => (await trigger()).started === 1);
  expect((await trigger()).failures).toBe(0);
});

test("a paused trigger leaves events with the broker, and a changed one continues with its new definition", async () => {
  const { queue, put, trigger, ledger } = await world();
  await put();
  queue.add("a", { n: 1 });
  await until(async () => (await trigger()).started === 1);
  await ledger.triggers.pause("orders");
  await until(() => queue.consumers === 0);
  queue.add("b", { n: 2 });
  await put({ filter: "event.data.n == 3" });
  queue.add("c", { n: 3 });
  expect(queue.messages.length).toBe(2);
  await ledger.triggers.resume("orders");
  await until(async () => (await trigger()).started === 2);
  expect(await trigger()).toMatchObject({ skipped: 1, started: 2 });
  expect(queue.groups.size).toBe(1);
});

test("events that the broker stored before the trigger existed start no runs, unless it starts at the beginning", async () => {
  const { queue, put, trigger, ledger } = await world();
  await put();
  queue.add("old", { n: 1 }, Date.now() - 3_600_000);
  queue.add("new", { n: 1 });
  await until(async () => (await trigger()).started === 1);
  await until(() => queue.messages.length === 0);
  await ledger.triggers.remove("orders");
  await until(() => queue.consumers === 0);
  await put({ from: "beginning" });
  queue.add("new", { n: 1 });
  queue.add("old", { n: 1 }, Date.now() - 3_600_000);
  await until(async () => (await trigger()).started === 1);
  expect(await trigger()).toMatchObject({ started: 1, repeated: 1 }); // the key of "new" outlives the first trigger
});
