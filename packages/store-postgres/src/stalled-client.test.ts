/** A client that stalls inside a transaction holds the locks of its runs; they must not stay locked (O1). */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { newEvent, type HeldRun, type NewEvent } from "@runledger/contracts";
import { checkHistory, recordHistory } from "@runledger/store-conformance";
import { startCutProxy } from "@runledger/test-support/cut-proxy";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";

const plan = { planId: "plan", planVersion: "1" };
const runId = "run-1";
const event = (eventType: string): NewEvent => newEvent({ runId, eventType, ...plan });

async function claim(store: PostgresStore, workerId: string): Promise<readonly HeldRun[]> {
  const { runs } = await store.queue.claimRuns({ workerId, plans: [plan], logFormat: 1, limit: 1 });
  return runs;
}

test("a run whose owner stalls before COMMIT is taken over, and its events are not stored", async () => {
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
  const again = [event("RunQueued"), event("RunCompleted")]; // a repeated event needs a transaction
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

test("a worker that stalls while it receives claimed runs does not block other claims", async () => {
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
  unheard.catch(() => {}); // until its connection is cut
  while (!deaf.happened()) await sleep(10);
  const claimed = next.queue.claimRuns({ workerId: "next", plans: [plan], logFormat: 1, limit: 20 });
  claimed.catch(() => {});
  const { runs } = await Promise.race([claimed, sleep(60_000).then(() => ({ runs: [] }))]);
  expect(runs.length).toBe(20);
  expect(checkHistory(await recorder.finish()).violations).toEqual([]);
});

const schedule = (scheduleId: string, input: string) => ({
  tenantId: "default",
  scheduleId,
  definition: { ...policies, plan: { ...plan, hash: "none" }, input },
  pausedAt: null,
  nextTick: "2026-01-01T00:00:00.000Z",
  dueAt: "2026-01-01T00:00:00.000Z",
  waiting: false,
  last: null,
});

const policies = {
  timing: { everyMs: 60_000, from: "2026-01-01T00:00:00.000Z" },
  projectId: "default",
  environmentId: "default",
  priority: 0,
  catchUp: "latest",
  catchUpLimit: 1,
  overlap: "allow",
  jitterMs: 0,
} as const;

for (const [what, statement] of [
  ["claims schedules", "schedule_claim"],
  ["saves a schedule", "schedule_update"],
] as const)
  test(`a scheduler that stalls while it ${what} keeps no schedule locked`, { tags: ["R-06", "R-09"] }, async () => {
    const database = await freshDatabase();
    const proxy = await startCutProxy(database.url);
    const old = await PostgresStore.open({ url: proxy.url });
    const next = await PostgresStore.open({ url: database.url });
    onTestFinished(async () => {
      await proxy.close();
      await Promise.all([old.close(), next.close()]);
      await database.drop();
    });
    const large = randomBytes(4_000_000).toString("hex"); // larger than the buffers of both sockets
    const first = await old.schedules.saveSchedule(schedule("large", large), null);
    await old.schedules.saveSchedule(schedule("small", ""), null);

    const deaf = proxy.arm({ when: "deaf", text: statement });
    const unheard =
      statement === "schedule_claim"
        ? old.schedules.claimDue({ limit: 20, holdMs: 1 })
        : old.schedules.saveSchedule(schedule("large", large), first.epoch);
    unheard.catch(() => {}); // until its connection is cut
    while (!deaf.happened()) await sleep(10);
    const claimed = new Set<string>();
    while (claimed.size < 2)
      for (const { scheduleId } of (await next.schedules.claimDue({ limit: 20, holdMs: 1 })).schedules)
        claimed.add(scheduleId);
  });
