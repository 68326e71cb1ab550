import assert from "node:assert/strict";
import type { Limit, LimitTarget, QueueFullError, RunStart } from "@runledger/contracts";
import { clause } from "../clause.js";
import { refused, refusedInput } from "../support/refused.js";
import {
  act,
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
  type QueueStore,
} from "../support/queueing.js";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const overall: LimitTarget = { scope: "overall", subject: "" };
const set = (store: QueueStore, target: LimitTarget, rest: Partial<Limit>) =>
  store.limits.setLimit(limitOf(target, rest));

/** A limit of two in each scope, and runs that it does not count. */
const scopes: readonly { readonly target: LimitTarget; readonly counted: Part; readonly other: Part }[] = [
  { target: { scope: "tenant", subject: "acme" }, counted: { tenantId: "acme" }, other: { tenantId: "other" } },
  {
    target: { scope: "project", subject: "acme|web" },
    counted: { tenantId: "acme", projectId: "web" },
    other: { tenantId: "acme", projectId: "app" },
  },
  {
    target: { scope: "workflow", subject: "nightly" },
    counted: {},
    other: { plan: { planId: "hourly", planVersion: "1.0.0" } } as Part,
  },
  {
    target: { scope: "concurrencyKey", subject: "acme|k" },
    counted: { tenantId: "acme", concurrencyKey: "k" },
    other: { tenantId: "other", concurrencyKey: "k" },
  },
];
type Part = Partial<Omit<RunStart, "event">>;

/** Claims runs of both plans and returns their kinds. */
async function claimBoth(store: QueueStore): Promise<string[]> {
  await store.leases.heartbeat({ workerId: "both", ttlMs: 60_000 });
  const plans = [PLAN, { planId: "hourly", planVersion: "1.0.0" }];
  const { runs } = await store.queue.claimRuns({ workerId: "both", plans, logFormat: 1, limit: 50 });
  return runs.map(({ runId }) => runId.split("-")[0]!);
}

async function endAll(store: QueueStore): Promise<void> {
  for (const held of (await store.queue.heldRuns("both")).runs) await end(store, held);
}

/** Limits are data and apply to every caller. */
export const limits = clause("limits", ["queue", "leases", "limits"], {
  "limits are set, changed, listed and removed": async ({ store, another }) => {
    const rate = { starts: 5, perMs: 1000 };
    const all: Limit[] = [
      limitOf(overall, { maxRunning: 100, maxQueued: 0 }),
      limitOf({ scope: "tenant", subject: "*" }, { rate }),
      limitOf({ scope: "tenant", subject: "acme" }, { priority: -3 }),
    ];
    for (const each of all.toReversed()) await store.limits.setLimit(each);
    const other = (await another()).limits!;
    assert.deepEqual(await other.listLimits(), all);
    await other.setLimit(limitOf(overall, { maxRunning: 7 }));
    assert.equal(await store.limits.removeLimit({ scope: "tenant", subject: "*" }), true);
    assert.equal(await store.limits.removeLimit({ scope: "tenant", subject: "*" }), false);
    assert.deepEqual(await store.limits.listLimits(), [limitOf(overall, { maxRunning: 7 }), all[2]]);
  },

  "a limit that makes no sense is refused, and names what is wrong": async ({ store }) => {
    const bad: [Partial<Limit>, string][] = [
      [{ scope: "planet" as never, subject: "earth" }, "scope"],
      [{ subject: "acme" }, "subject"],
      [{ scope: "tenant", subject: "" }, "subject"],
      [{ scope: "tenant", subject: "a|b" }, "subject"],
      [{ scope: "project", subject: "web" }, "subject"],
      [{ maxRunning: -1 }, "maxRunning"],
      [{ maxRunning: 1.5 }, "maxRunning"],
      [{ maxQueued: 2 ** 40 }, "maxQueued"],
      [{ rate: { starts: 0, perMs: 1000 } }, "rate.starts"],
      [{ rate: { starts: 1, perMs: 0 } }, "rate.perMs"],
      [{ priority: 1 }, "priority"],
      [{ scope: "tenant", subject: "acme", priority: 10 ** 9 }, "priority"],
    ];
    for (const [rest, field] of bad)
      await refusedInput(
        store.limits.setLimit(limitOf({ ...overall, ...rest }, rest)),
        field === "subject" && rest.scope === "tenant" && rest.subject === "" ? "IDENTIFIER_INVALID" : "OPTION_INVALID",
        field,
      );
    assert.deepEqual(await store.limits.listLimits(), []);
  },

  "never more than the limit run, overall and in every scope": async ({ store }) => {
    for (const { target, counted, other } of scopes) {
      await set(store, target, { maxRunning: 2 });
      await startAll(store, names(`counted-${target.scope}`, 4), counted);
      await startAll(store, names(`other-${target.scope}`, 1), other);
      assert.deepEqual((await claimBoth(store)).sort(), ["counted", "counted", "other"], target.scope);
      assert.deepEqual(await claimBoth(store), [], target.scope);
      await store.limits.removeLimit(target);
      await set(store, overall, { maxRunning: 0 });
      assert.deepEqual(await claimBoth(store), [], target.scope);
      await store.limits.removeLimit(overall);
      const { length } = await claimBoth(store);
      assert.equal(length, target.scope === "concurrencyKey" ? 0 : 2, target.scope); // one at a time by default
      await endAll(store);
    }
  },

  "a place is free when its run ends or waits, not before": async ({ store }) => {
    await set(store, overall, { maxRunning: 2 });
    await startAll(store, names("run", 5));
    const held = await claim(store);
    assert.equal(held.length, 2);
    assert.deepEqual(await claimIds(store), []);
    await end(store, held[0]!);
    assert.equal((await claim(store)).length, 1);
    await park(store, held[1]!);
    assert.equal((await claim(store)).length, 1);
    await signal(store, held[1]!.runId);
    assert.deepEqual(await claimIds(store), [], "a resumed run needs a place, too");
  },

  "a limit that changes holds at once, for runs that are queued already": async ({ store }) => {
    await set(store, overall, { maxRunning: 1 });
    await startAll(store, names("run", 9));
    assert.equal((await claim(store)).length, 1);
    await set(store, overall, { maxRunning: 4 });
    assert.equal((await claim(store)).length, 3);
    await set(store, overall, { maxRunning: 2 });
    assert.equal((await claim(store)).length, 0);
    await store.limits.removeLimit(overall);
    assert.equal((await claim(store)).length, 5);
  },

  "every one of a scope has a limit, unless it has its own": async ({ store }) => {
    await set(store, { scope: "tenant", subject: "*" }, { maxRunning: 1 });
    await set(store, { scope: "tenant", subject: "big" }, { maxRunning: 3 });
    await set(store, { scope: "tenant", subject: "free" }, {});
    for (const tenantId of ["big", "free", "small", "tiny"]) await startAll(store, names(tenantId, 5), { tenantId });
    const claimed = await claimIds(store);
    const count = (tenant: string) => claimed.filter((runId) => runId.startsWith(tenant)).length;
    assert.deepEqual(["big", "free", "small", "tiny"].map(count), [3, 5, 1, 1]);
  },

  "a full tenant does not stand in the way of others": async ({ store }) => {
    await set(store, { scope: "tenant", subject: "full" }, { maxRunning: 1 });
    await startAll(store, names("full", 40), { tenantId: "full", priority: 9 });
    await startAll(store, names("other", 3), { tenantId: "other" });
    assert.deepEqual((await claimIds(store, 3)).filter((runId) => runId.startsWith("full")).length, 1);
    assert.equal((await claim(store, 3)).length, 1);
    assert.deepEqual(await claimIds(store, 3), []);
  },

  "runs that share a concurrency key run one at a time, to their end": async ({ store }) => {
    await startAll(store, names("k", 3), { concurrencyKey: "k" });
    await startAll(store, ["other"], { concurrencyKey: "other" });
    await startAll(store, ["none"]);
    const first = await claim(store);
    assert.deepEqual(first.map(({ runId }) => runId).sort(), ["k-0000", "none", "other"]);
    const holder = first.find(({ runId }) => runId === "k-0000")!;
    await park(store, holder);
    await startAll(store, ["k-late"], { concurrencyKey: "k", priority: 9 });
    assert.deepEqual(await claimIds(store), [], "a waiting run keeps its key");
    await signal(store, "k-0000");
    const [back] = await claim(store);
    await end(store, { ...back!, headSeq: 2 });
    const [next] = await claim(store);
    assert.equal(next?.runId, "k-late", "the highest priority is next");
    await end(store, next);
    assert.deepEqual(await claimIds(store), ["k-0001"]);
    await set(store, { scope: "concurrencyKey", subject: "default|k" }, { maxRunning: 2 });
    assert.deepEqual(await claimIds(store), ["k-0002"]);
  },

  "no interval has more starts than the rate allows": async ({ store }) => {
    await set(store, { scope: "tenant", subject: "*" }, { rate: { starts: 2, perMs: 300 } });
    await startAll(store, names("a", 5), { tenantId: "a" });
    await startAll(store, names("b", 1), { tenantId: "b" });
    const before = Date.now();
    const first = await claim(store);
    assert.deepEqual(first.map(({ runId }) => runId).sort(), ["a-0000", "a-0001", "b-0000"]);
    await park(
      store,
      first.find(({ runId }) => runId === "a-0000")!,
    );
    await signal(store, "a-0000");
    const next = await claimIds(store);
    assert.ok(next.includes("a-0000"), "a resumed run does not count as a start");
    const rest = next.filter((runId) => runId !== "a-0000"); // the interval may be over on a slow machine
    for (let i = 0; i < 200 && rest.length < 3; i++) {
      rest.push(...(await claimIds(store)));
      const allowed = 2 * Math.floor((Date.now() - before) / 300);
      assert.ok(rest.length <= allowed, `${rest.length} of ${allowed} after ${Date.now() - before} ms`);
      await sleep(10);
    }
    assert.equal(rest.length, 3);
  },

  "as many wait as the limit lets wait; another one is refused and leaves nothing": async ({ store }) => {
    await set(store, { scope: "tenant", subject: "acme" }, { maxQueued: 2 });
    await startAll(store, names("run", 2), { tenantId: "acme" });
    const full = await refused<QueueFullError>(
      store.queue.startRun(startOf("more", { tenantId: "acme" })),
      "QUEUE_FULL",
    );
    assert.deepEqual(full.target, { scope: "tenant", subject: "acme" });
    assert.ok(full.retryAfterMs >= 1000);
    assert.deepEqual(await store.fetchHeads(["more"]), []);
    const again = await store.queue.startRun(
      startOf("again", { tenantId: "acme", startKey: startOf("run-0001").startKey }),
    );
    assert.deepEqual([again.runId, again.created], ["run-0001", false], "a repeated start is answered");
    await startAll(store, ["other"], { tenantId: "other" });
    const [parent] = await claim(store, 1);
    await startAll(store, ["child"], { tenantId: "acme", parent: { runId: parent!.runId, epoch: parent!.epoch } });
    await claim(store, 2);
    const { created, limited } = await store.queue.startRun(startOf("more", { tenantId: "acme" }));
    assert.deepEqual([created, limited], [true, true]);
  },

  "ten clients that start at once do not fill the queue beyond its limit": async ({ store, another }) => {
    await set(store, overall, { maxQueued: 5 });
    const stores = await Promise.all(names("client", 10).map(() => another()));
    const starts = stores.flatMap((each, client) =>
      names(`run-${client}`, 3).map((runId) => each.queue!.startRun(startOf(runId, { tenantId: `t${client}` }))),
    );
    const outcomes = await Promise.allSettled(starts);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 5);
    assert.equal((await store.listHeads()).length, 5);
    assert.equal((await claim(store, 3)).length, 3);
    await startAll(store, names("next", 3));
    await refused(store.queue.startRun(startOf("too-many")), "QUEUE_FULL");
  },

  "priorities of the limits order tenants, and what they have queued": async ({ store }) => {
    await startAll(store, names("a", 2), { tenantId: "a" });
    await startAll(store, names("b", 2), { tenantId: "b" });
    await set(store, { scope: "tenant", subject: "b" }, { priority: 1 });
    await set(store, { scope: "project", subject: "c|urgent" }, { priority: 5 });
    await startAll(store, ["c-plain"], { tenantId: "c", priority: 4 });
    await startAll(store, ["c-urgent"], { tenantId: "c", projectId: "urgent" });
    const order: string[] = [];
    for (let i = 0; i < 6; i++) order.push(...(await claimIds(store, 1)));
    assert.deepEqual(order.slice(0, 2), ["b-0000", "b-0001"]);
    assert.ok(order.indexOf("c-urgent") < order.indexOf("c-plain"), order.join(", "));
    assert.equal(order.length, 6);
  },

  "Q2: an action reaches a run however full everything is": async ({ store }) => {
    await set(store, overall, { maxRunning: 1 });
    await startAll(store, ["runs", "queued"]);
    const [runs] = await claim(store);
    await act(store, "queued");
    const [held] = await claim(store);
    assert.deepEqual([held?.runId, held?.slot], ["queued", false]);
    await park(store, { ...held!, headSeq: 2 });
    assert.deepEqual(await claimIds(store), [], "it was not let in for that");
    await end(store, runs!);
    assert.deepEqual(
      (await claim(store)).map(({ runId, slot }) => [runId, slot]),
      [["queued", true]],
    );
  },
});
