import assert from "node:assert/strict";
import { clause } from "../clause.js";
import {
  act,
  claim,
  end,
  limitOf,
  names,
  park,
  PLAN,
  signal,
  startAll,
  WORKER,
  type QueueStore,
} from "../support/queueing.js";

const FUTURE = "2999-01-01T00:00:00.000Z";
const tenant = { scope: "tenant", subject: "acme" } as const;
const aheadOfOwn = async (store: QueueStore, runId: string) => (await store.queue.inspectRun(runId))?.aheadOfOwn;
const ahead = async (store: QueueStore, runId: string) => (await store.queue.inspectRun(runId))?.ahead;

/** The facts that the queue reports about its runs. */
export const queueFacts = clause("queue-facts", ["queue", "leases", "limits"], {
  "an entry has the run's limits, its due time and its owner": async ({ store, another }) => {
    const place = { tenantId: "acme", projectId: "web", priority: 3, concurrencyKey: "k" };
    await startAll(store, ["later"], { ...place, startAt: FUTURE });
    await startAll(store, ["run-1"], place);
    const counted = { ...PLAN, ...place, logFormat: 1 };
    const { entry, now } = (await (await another()).queue!.inspectRun("run-1"))!;
    const { queuedAt, dueAt, ...rest } = entry;
    assert.deepEqual(rest, { runId: "run-1", ...counted, startedAt: null, owner: null, slot: false, acts: false });
    assert.ok(Math.abs(Date.parse(queuedAt) - Date.parse(now)) < 60_000);
    assert.ok(dueAt !== null && dueAt <= now);
    assert.equal((await store.queue.inspectRun("later"))!.entry.dueAt, FUTURE);
    const [held] = await claim(store);
    const claimed = (await store.queue.inspectRun("run-1"))!.entry;
    assert.deepEqual([claimed.owner, claimed.slot, claimed.startedAt !== null], [WORKER, true, true]);
    await park(store, held!);
    await act(store, "run-1");
    const parked = (await store.queue.inspectRun("run-1"))!.entry;
    assert.deepEqual([parked.owner, parked.slot, parked.acts], [null, false, true]);
    assert.equal(await store.queue.inspectRun("nobody"), null);
  },

  "a run that waits until it is woken has no time, one that ended is not there": async ({ store }) => {
    await startAll(store, ["run-1"]);
    const [held] = await claim(store);
    await park(store, held!);
    assert.equal((await store.queue.inspectRun("run-1"))!.entry.dueAt, null);
    await signal(store, "run-1");
    const [again] = await claim(store);
    await end(store, again!);
    assert.equal(await store.queue.inspectRun("run-1"), null);
  },

  "runs ahead: resumed runs, those of its own tenant, and as many of the others": async ({ store }) => {
    await startAll(store, ["back"], { tenantId: "back" });
    const [back] = await claim(store);
    await park(store, back!);
    await startAll(store, names("a", 4), { tenantId: "a" });
    await startAll(store, names("b", 9), { tenantId: "b" });
    await startAll(store, ["a-high"], { tenantId: "a", priority: 1 });
    await startAll(store, ["a-later"], { tenantId: "a", priority: 9, startAt: FUTURE });
    assert.equal(await ahead(store, "a-high"), 0);
    assert.equal(await ahead(store, "b-0000"), 1);
    assert.equal(await ahead(store, "a-0001"), 4); // a-high, a-0000 and two of b's
    assert.equal(await ahead(store, "b-0008"), 13); // all eight before it, and all five of a's
    assert.equal(await aheadOfOwn(store, "a-0001"), 2);
    assert.equal(await aheadOfOwn(store, "b-0008"), 8);
    assert.equal(await ahead(store, "a-later"), 0);
    await signal(store, "back");
    assert.equal(await ahead(store, "back"), 0);
    assert.equal(await ahead(store, "a-high"), 1);
  },

  "limits that it is counted in, how much of them is taken, by whom, and how fast": async ({ store }) => {
    await store.limits.setLimit(limitOf({ scope: "tenant", subject: "*" }, { maxRunning: 2 }));
    await store.limits.setLimit(
      limitOf({ scope: "workflow", subject: PLAN.planId }, { rate: { starts: 2, perMs: 600_000 } }),
    );
    await startAll(store, names("run", 3), { tenantId: "acme", concurrencyKey: "k" });
    await startAll(store, ["more"], { tenantId: "acme" });
    const idle = (await store.queue.inspectRun("more"))!;
    assert.deepEqual(
      idle.limits.map(({ target, running, rateFreeAt, startsPerSecond }) => [
        target.scope,
        running,
        rateFreeAt,
        startsPerSecond,
      ]),
      [
        ["tenant", 0, null, null],
        ["workflow", 0, null, null],
      ],
    );
    assert.equal(idle.startsPerSecond, null);
    assert.deepEqual((await claim(store)).map(({ runId }) => runId).sort(), ["more", "run-0000"]);
    const { limits, startsPerSecond, now } = (await store.queue.inspectRun("run-0002"))!;
    assert.deepEqual(
      limits.map(({ target, limit, running, holders }) => [target, limit.subject, limit.maxRunning, running, holders]),
      [
        [tenant, "*", 2, 2, ["more", "run-0000"]],
        [{ scope: "workflow", subject: PLAN.planId }, PLAN.planId, null, 2, ["more", "run-0000"]],
        [{ scope: "concurrencyKey", subject: "acme|k" }, "acme|k", 1, 1, ["run-0000"]],
      ],
    );
    const [, rated] = limits;
    const freeIn = Date.parse(rated!.rateFreeAt!) - Date.parse(now);
    assert.ok(freeIn > 500_000 && freeIn <= 600_000, String(freeIn));
    assert.ok(startsPerSecond! > 0 && limits[0]!.startsPerSecond! > 0);
  },

  "the queue is listed in pages, of all tenants or one, and counted": async ({ store }) => {
    await startAll(store, ["r-1", "r-2", "r-3"], { tenantId: "acme" });
    await startAll(store, ["r-4"], { tenantId: "other" });
    const ids = async (page: Parameters<typeof store.queue.listQueue>[0]) =>
      (await store.queue.listQueue(page)).map(({ runId }) => runId);
    assert.deepEqual(await ids({}), ["r-1", "r-2", "r-3", "r-4"]);
    assert.deepEqual(await ids({ tenantId: "acme", afterRunId: "r-1", limit: 1 }), ["r-2"]);
    const held = await claim(store, 3);
    await park(
      store,
      held.find(({ runId }) => runId === "r-1")!,
    );
    assert.deepEqual(await store.queue.countQueue(), [
      { tenantId: "acme", queued: 1, running: 1, waiting: 1 },
      { tenantId: "other", queued: 0, running: 1, waiting: 0 },
    ]);
  },
});
