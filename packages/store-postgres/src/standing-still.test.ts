/** Whoever stands still inside a transaction holds the locks of its runs; they must not wait for it for ever (O1). */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { newEvent, type HeldRun, type NewEvent } from "@runledger/contracts";
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import { startCutProxy } from "../../../tests/support/cut-proxy.js";
import { freshDatabase } from "../../../tests/support/fresh-database.js";
import { PostgresStore } from "./index.js";

const plan = { planId: "plan", planVersion: "1" };
const runId = "run-1";
const event = (eventType: string): NewEvent => newEvent({ runId, eventType, ...plan });

async function claim(store: PostgresStore, workerId: string): Promise<readonly HeldRun[]> {
  const { runs } = await store.queue.claimRuns({ workerId, plans: [plan], logFormat: 1, limit: 1 });
  return runs;
}

test("a run whose owner stands still in front of a COMMIT is taken over, and what it sent is not stored", async () => {
  const database = await freshDatabase();
  const proxy = await startCutProxy(database.url);
  const old = await PostgresStore.open({ url: proxy.url });
  const next = await PostgresStore.open({ url: database.url });
  onTestFinished(async () => {
    await Promise.all([old.close(), next.close()]);
    await proxy.close();
    await database.drop();
  });
  const recorder = recordHistory(old);
  await recorder.store.appendEvents([event("RunQueued")], { enqueues: { ...plan, logFormat: 1, priority: 0 } });
  await old.leases.heartbeat({ workerId: "old", ttlMs: 2000 });
  expect(await claim(old, "old")).toMatchObject([{ runId, epoch: 1 }]);

  const held = proxy.arm({ when: "hold", text: "COMMIT" });
  const again = [event("RunQueued"), event("RunCompleted")]; // what is repeated goes through a transaction
  const last = recorder.store.appendEvents(again, { fence: 1, ends: true }).catch((error: unknown) => error);
  while (!held.happened()) await sleep(10);

  await next.leases.heartbeat({ workerId: "next", ttlMs: 60_000 });
  let taken: readonly HeldRun[] = [];
  while (taken.length === 0) {
    await sleep(50);
    taken = await claim(next, "next");
  }
  expect(taken).toMatchObject([{ runId, epoch: 2, takenFrom: "old", headSeq: 1 }]);
  expect(await last).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  expect((await next.fetchEvents(runId)).map(({ eventType }) => eventType)).toEqual(["RunQueued"]);
  expect(checkHistory(await recorder.finish()).violations).toEqual([]);
});

test("who stands still while it is told what it has claimed keeps nobody from claiming", async () => {
  const database = await freshDatabase();
  const proxy = await startCutProxy(database.url);
  const old = await PostgresStore.open({ url: proxy.url });
  const next = await PostgresStore.open({ url: database.url });
  onTestFinished(async () => {
    await proxy.close();
    await Promise.all([old.close(), next.close()]);
    await database.drop();
  });
  const input = randomBytes(128_000).toString("hex");
  const queued = Array.from({ length: 40 }, (_, index) =>
    newEvent({ runId: `large-${index}`, eventType: "RunQueued", eventData: { input }, ...plan }),
  );
  const recorder = recordHistory(next);
  const enqueues = { ...plan, logFormat: 1, priority: 0 };
  await Promise.all(queued.map((each) => recorder.store.appendEvents([each], { enqueues })));
  for (const [store, workerId] of [[old, "old"] as const, [next, "next"] as const])
    await store.leases.heartbeat({ workerId, ttlMs: 60_000 });

  const deaf = proxy.arm({ when: "deaf", text: "queue_claim" });
  const unheard = old.queue.claimRuns({ workerId: "old", plans: [plan], logFormat: 1, limit: 20 });
  unheard.catch(() => {}); // until its line is cut
  while (!deaf.happened()) await sleep(10);
  const claimed = next.queue.claimRuns({ workerId: "next", plans: [plan], logFormat: 1, limit: 20 });
  claimed.catch(() => {});
  const { runs } = await Promise.race([claimed, sleep(60_000).then(() => ({ runs: [] }))]);
  expect(runs.length).toBe(20);
  expect(checkHistory(await recorder.finish()).violations).toEqual([]);
});
