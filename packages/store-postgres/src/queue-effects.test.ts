/** Wake-ups and finished runs are part of the append's statement: refused appends have none, and locks have one order (P8). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { PostgresStore } from "./index.js";
import { query } from "@runledger/test-support/databases";

const WORKER = "w-1";
const PLAN = { planId: "p", planVersion: "1" };
let database: FreshDatabase;
let stores: PostgresStore[];

beforeAll(async () => {
  database = await freshDatabase();
  stores = await Promise.all([1, 2, 3].map(() => PostgresStore.open({ url: database.url })));
  await stores[0]!.leases.heartbeat({ workerId: WORKER, ttlMs: 60_000 });
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database.drop();
});

const event = (runId: string, eventType: string, attempt = "1"): NewEvent =>
  newEvent({ runId, eventType, logicalAttemptId: attempt, ...PLAN, eventData: {} });

async function start(runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    const place = { tenantId: "default", startKey: runId, inputHash: "", logFormat: 1, priority: 0 };
    await stores[0]!.queue.startRun({ event: event(runId, "RunQueued"), ...place });
  }
}

async function claim(): Promise<Map<string, number>> {
  const params = { workerId: WORKER, plans: [PLAN], logFormat: 1, limit: 1000 };
  const { runs } = await stores[0]!.queue.claimRuns(params);
  return new Map(runs.map(({ runId, epoch }) => [runId, epoch]));
}

const wakesOf = async (runId: string): Promise<number | undefined> =>
  (await stores[0]!.queue.heldRuns(WORKER)).runs.find((run) => run.runId === runId)?.wakes;

test("a stored append changes the queue, and a refused one in the same batch does not", async () => {
  await start(["parent", "child-1", "child-2"]);
  const epochs = await claim();
  const end = (runId: string, fence: number) =>
    stores[0]!.appendEvents([event(runId, "RunCompleted")], { fence, ends: true, wakes: ["parent"] });
  const first = stores[0]!.appendEvents([event("other", "RunStarted")]); // later calls wait for it, in one batch
  const [stale, stored] = await Promise.allSettled([end("child-1", 99), end("child-2", epochs.get("child-2")!), first]);
  expect(stale).toMatchObject({ reason: { code: "STALE_LEASE" } });
  expect(stored).toMatchObject({ status: "fulfilled" });
  expect(await wakesOf("parent")).toBe(1);
  const left = await query(database.url, "SELECT run_id FROM runledger.run_queue ORDER BY run_id");
  expect(left.map(({ run_id }) => run_id)).toEqual(["child-1", "parent"]);
});

test("a run that finishes in the batch that also wakes it is finished", async () => {
  await start(["both", "its-child"]);
  const epochs = await claim();
  const first = stores[0]!.appendEvents([event("other", "RunPaused")]);
  const ended = ["both", "its-child"].map((runId) =>
    stores[0]!.appendEvents([event(runId, "RunCompleted")], { fence: epochs.get(runId)!, ends: true, wakes: ["both"] }),
  );
  await Promise.all([first, ...ended]);
  expect(await query(database.url, "SELECT FROM runledger.run_queue WHERE run_id IN ('both', 'its-child')")).toEqual(
    [],
  );
});

test("P8: three stores that wake, finish and park the same runs never deadlock and lose no wake-up", async () => {
  const runIds = Array.from({ length: 30 }, (_, index) => `busy-${index}`);
  await start(runIds);
  const epochs = await claim();
  const signals = Array.from({ length: 20 }, (_, round) =>
    runIds.map(async (runId, index) => {
      const woken = runIds[(index * 7 + round) % 30]!;
      await stores[(index + round) % 3]!.appendEvents([event(runId, "SignalAccepted", `s-${round}`)], {
        mustExist: true,
        wakes: [runId, woken],
      });
    }),
  ).flat();
  const parks = runIds.map(async (runId, index) => {
    const at = { workerId: WORKER, runId, epoch: epochs.get(runId)!, expectedSeq: 1, wakes: 0, checkpoint: null };
    await stores[index % 3]!.queue.parkRun({ ...at, wakeAt: null }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: "SEQ_MISMATCH" });
    });
  });
  await Promise.all([...signals, ...parks]);
  const lost = "SELECT run_id FROM runledger.run_queue WHERE run_id LIKE 'busy-%' AND available_at = 'infinity'";
  expect(await query(database.url, lost)).toEqual([]);
  const deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
  expect(await query(database.url, deadlocks)).toEqual([{ deadlocks: "0" }]);
});
