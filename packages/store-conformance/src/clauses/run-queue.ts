import assert from "node:assert/strict";
import { clause } from "../clause.js";
import { eventOf, logOf } from "../support/events.js";
import { refused } from "../support/refused.js";
import {
  act,
  assertSame,
  claim,
  claimIds,
  end,
  limitOf,
  names,
  park,
  PLAN,
  signal,
  startAll,
  startOf,
  WORKER,
  type QueueStore,
} from "../support/queueing.js";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const in1Hour = (): string => new Date(Date.now() + 3_600_000).toISOString();

async function eventually(store: QueueStore, runIds: readonly string[]): Promise<void> {
  const got = new Set<string>();
  for (let i = 0; i < 200 && got.size < runIds.length; i++) {
    for (const runId of await claimIds(store)) got.add(runId);
    await sleep(10);
  }
  assertSame(got, runIds);
}

/** Q1, Q2, O1: which worker gets which run, and when. */
export const runQueue = clause("run-queue", ["queue", "leases", "limits"], {
  "Q1: ten clients that start the same request start one run": async ({ store, another }) => {
    const stores = await Promise.all(names("client", 10).map(() => another()));
    const started = await Promise.all(
      stores.map((each, index) => each.queue!.startRun(startOf(`run-${index}`, { startKey: "request" }))),
    );
    assert.equal(started.filter(({ created }) => created).length, 1);
    const [runId] = new Set(started.map((each) => each.runId));
    assert.deepEqual(new Set(started.map((each) => each.runId)), new Set([runId]));
    assert.deepEqual(await claimIds(store), [runId]);
    assert.equal((await store.listHeads()).length, 1);
  },

  "Q1: a key that holds across versions starts one run, whichever version comes first": async ({ store }) => {
    const version = (planVersion: string) => ({ ...PLAN, planVersion });
    const request = { dedupeKey: "any version", inputHash: "same" };
    const starts = ["1.0.0", "2.0.0", "1.0.0", "3.0.0"].map((planVersion, index) =>
      startOf(`run-${index}`, { ...request, startKey: planVersion, plan: version(planVersion) }),
    );
    const [first, ...others] = await Promise.all(starts.map((each) => store.queue.startRun(each)));
    for (const other of others) assert.deepEqual([other.runId, other.inputHash], [first!.runId, "same"]);
    assert.equal((await store.listHeads()).length, 1);
    const alone = await store.queue.startRun(startOf("alone", { startKey: "4.0.0", plan: version("4.0.0") }));
    assert.equal(alone.created, true, "without a dedupe key each version gets a run");
  },

  "Q1: the start is one event, and the queue's place": async ({ store }) => {
    const started = await store.queue.startRun(startOf("run-1"));
    assert.deepEqual(started, { runId: "run-1", created: true, inputHash: "none", limited: false });
    assert.deepEqual(
      (await logOf(store, "run-1")).map(({ runSeq, eventType }) => [runSeq, eventType]),
      [[1, "RunQueued"]],
    );
    assert.deepEqual(
      (await claim(store)).map(({ runId, epoch, takenFrom, slot }) => [runId, epoch, takenFrom, slot]),
      [["run-1", 1, null, true]],
    );
    assert.deepEqual(await claimIds(store), [], "it is taken");
  },

  "a claim reports `limited: false` only if no run can wait for the end of another": async ({ store }) => {
    const limited = async () => {
      await store.leases.heartbeat({ workerId: WORKER, ttlMs: 60_000 });
      return (await store.queue.claimRuns({ workerId: WORKER, plans: [PLAN], logFormat: 1, limit: 1 })).limited;
    };
    await startAll(store, ["first", "second"], { concurrencyKey: "k" });
    assert.notEqual(await limited(), false, "the second waits for the first");
    for (const held of (await store.queue.heldRuns(WORKER)).runs) await end(store, held);
    for (const held of await claim(store)) await end(store, held);
    await store.limits.setLimit(limitOf({ scope: "overall", subject: "" }, { maxRunning: 1 }));
    assert.notEqual(await limited(), false, "there is a limit");
  },

  "a claim may bring the first event of a run that has no other, as the log has it": async ({ store }) => {
    await startAll(store, ["new", "signalled"]);
    await signal(store, "signalled");
    for (const { runId, firstEvent } of await claim(store)) {
      if (runId === "signalled") assert.equal(firstEvent, undefined, "there is more to read");
      else if (firstEvent !== undefined) assert.deepEqual([firstEvent], await logOf(store, runId));
    }
  },

  "a delayed run is not claimed before its time, even if it is woken": async ({ store }) => {
    await startAll(store, ["later"], { startAt: in1Hour() });
    const due = Date.now() + 150;
    await startAll(store, ["soon"], { startAt: new Date(due).toISOString() });
    await signal(store, "later");
    await signal(store, "soon");
    const early = await claimIds(store);
    if (Date.now() < due) assert.deepEqual(early, []); // a slow machine may get here after the due time
    if (early.length === 0) await eventually(store, ["soon"]);
    else assert.deepEqual(early, ["soon"]);
    await startAll(store, ["past"], { startAt: "2020-01-01T00:00:00Z" });
    assert.deepEqual(await claimIds(store), ["past"]);
  },

  "D7 F5: only runs of plans and formats that the worker knows are claimed": async ({ store }) => {
    await startAll(store, ["known"]);
    await startAll(store, ["other-version"], { plan: { ...PLAN, planVersion: "9" } });
    await startAll(store, ["newer-format"], { logFormat: 2 });
    assert.deepEqual(await claimIds(store), ["known"]);
  },

  "O1: a worker without a heartbeat gets nothing; no worker gets more than its limit": async ({ store }) => {
    await startAll(store, names("run", 5));
    const silent = await store.queue.claimRuns({ workerId: "silent", plans: [PLAN], logFormat: 1, limit: 5 });
    assert.deepEqual(silent.runs, []);
    assert.equal((await claim(store, 2)).length, 2);
    assert.deepEqual(await claimIds(store, 0), []);
    assert.equal((await claim(store, 9)).length, 3);
  },

  "priority orders the runs of a tenant, then the time they have been due": async ({ store }) => {
    await startAll(store, ["low-a", "low-b"]);
    await startAll(store, ["high"], { priority: 5 });
    await startAll(store, ["lower"], { priority: -5 });
    await startAll(store, ["highest-but-later"], { priority: 9, startAt: in1Hour() });
    const order: string[] = [];
    for (let i = 0; i < 4; i++) order.push(...(await claimIds(store, 1)));
    assert.deepEqual(order, ["high", "low-a", "low-b", "lower"]);
  },

  "a tenant with many queued runs delays another's first by at most one slot": async ({ store }) => {
    await startAll(store, names("many", 60), { tenantId: "many" });
    assert.equal((await claim(store, 20)).length, 20);
    await startAll(store, ["few-1", "few-2"], { tenantId: "few" });
    await startAll(store, ["new-1"], { tenantId: "new" });
    const next: string[] = [];
    for (let i = 0; i < 5; i++) next.push(...(await claimIds(store, 1)));
    assert.ok(next.slice(0, 2).includes("few-1"), `it waited for more than one: ${next.join(", ")}`);
    assert.ok(next.slice(0, 3).includes("new-1"), `it waited for more than one of each: ${next.join(", ")}`);
    assert.ok(next.includes("few-2") && next.filter((runId) => runId.startsWith("many")).length === 2, next.join(", "));
    const batch = await claimIds(store, 10);
    assert.equal(batch.length, 10);
  },

  "tenants take turns within one claim, and no tenant saves up turns": async ({ store }) => {
    await startAll(store, names("a", 30), { tenantId: "a" });
    await startAll(store, names("b", 30), { tenantId: "b" });
    const tenants = (await claimIds(store, 20)).map((runId) => runId.slice(0, 1));
    assert.equal(tenants.filter((tenant) => tenant === "a").length, 10);
    await startAll(store, names("c", 30), { tenantId: "c" });
    const later = (await claimIds(store, 9)).map((runId) => runId.slice(0, 1));
    for (const tenant of ["a", "b", "c"]) {
      const got = later.filter((each) => each === tenant).length;
      assert.ok(got >= 2 && got <= 4, `${tenant} got ${got} of 9`);
    }
  },

  "Q2: a run that waits has no slot, and comes back ahead of the queue": async ({ store }) => {
    await startAll(store, ["waits"]);
    const [held] = await claim(store);
    await park(store, held!);
    await startAll(store, names("queued", 3), { priority: 9 });
    assert.deepEqual(await claimIds(store, 1), ["queued-0000"]);
    await signal(store, "waits");
    assert.deepEqual(await claimIds(store, 1), ["waits"]);
  },

  "Q2: an operator's action is claimed outside everything, without a slot, until it is answered": async ({ store }) => {
    await startAll(store, ["other", "queued"]);
    assert.deepEqual(await claimIds(store, 1), ["other"]);
    await act(store, "queued");
    const [held] = await claim(store, 0);
    assert.deepEqual([held?.runId, held?.slot], ["queued", false]);
    assertSame(
      (await store.queue.heldRuns(WORKER)).runs.map(({ runId, slot }) => `${runId} ${slot}`),
      ["other true", "queued false"],
    );
    const at = { workerId: WORKER, runId: "queued", epoch: held!.epoch, expectedSeq: 2, wakes: held!.wakes };
    await store.queue.parkRun({ ...at, wakeAt: new Date().toISOString(), checkpoint: null, unanswered: true });
    const [again] = await claim(store, 0);
    assert.equal(again?.runId, "queued", "the action is not answered yet");
    await park(store, again);
    assert.deepEqual(await claimIds(store, 0), []);
    assert.deepEqual(
      (await claim(store, 1)).map(({ runId, slot }) => [runId, slot]),
      [["queued", true]],
    );
  },

  "Q2: a queued run that an operator cancels leaves the queue": async ({ store }) => {
    await startAll(store, ["queued"]);
    await act(store, "queued");
    const [held] = await claim(store, 0);
    await store.appendEvents([eventOf("queued", "RunCancelled", PLAN)], { fence: held!.epoch, ends: true });
    assert.deepEqual(await claimIds(store), []);
  },

  "O1: a run whose owner is gone is taken over with its slot": async ({ store }) => {
    await startAll(store, ["lost"]);
    const [held] = await claim(store, 1, "dying");
    await store.leases.retireWorker("dying");
    const [taken] = await claim(store, 1);
    assert.deepEqual([taken?.runId, taken?.takenFrom, taken?.slot], ["lost", "dying", true]);
    await refused(end(store, held!), "STALE_LEASE");
    await end(store, taken!);
  },

  "Q2: a lost worker's run with an unanswered action is claimed by a worker without room": async ({ store }) => {
    await startAll(store, ["lost", "silent"]);
    await claim(store, 2, "dying");
    const action = eventOf("lost", "SignalAccepted", PLAN);
    await store.appendEvents([action], { mustExist: true, acts: true, wakes: ["lost"] });
    await store.leases.retireWorker("dying");
    const runs = await claim(store, 0);
    assert.deepEqual(
      runs.map(({ runId, takenFrom, slot }) => [runId, takenFrom, slot]),
      [["lost", "dying", false]],
    );
  },

  "O1: the slot of a lost worker's run is free if no worker knows its plan": async ({ store }) => {
    const gone = { ...PLAN, planVersion: "0.9.0" };
    await startAll(store, ["lost"], { plan: gone });
    await store.leases.heartbeat({ workerId: "dying", ttlMs: 60_000 });
    const { runs } = await store.queue.claimRuns({ workerId: "dying", plans: [gone], logFormat: 1, limit: 1 });
    await store.leases.retireWorker("dying");
    assert.deepEqual(await claimIds(store), []);
    await refused(end(store, runs[0]!), "STALE_LEASE");
    assert.equal((await store.fetchHeads(["lost"]))[0]!.leaseOwner, null);
    await store.leases.heartbeat({ workerId: "knows", ttlMs: 60_000 });
    const again = await store.queue.claimRuns({ workerId: "knows", plans: [gone], logFormat: 1, limit: 1 });
    assert.deepEqual(
      again.runs.map(({ runId }) => runId),
      ["lost"],
    );
  },

  "a finished run that is queued again is claimed": async ({ store }) => {
    await startAll(store, ["run-1"], { tenantId: "acme" });
    const [held] = await claim(store);
    await end(store, held!);
    const reopened = eventOf("run-1", "RunReopened", PLAN);
    await store.appendEvents([reopened], {
      mustExist: true,
      acts: true,
      enqueues: { ...PLAN, logFormat: 1, priority: 0 },
    });
    assert.deepEqual(await claimIds(store), ["run-1"]);
  },
});
