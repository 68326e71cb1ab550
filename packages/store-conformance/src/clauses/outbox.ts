import assert from "node:assert/strict";
import type { ClaimedDelivery, DeliveryFailure, DeliveryOutcome, StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { stepsOf } from "../support/events.js";
import { refusedInput } from "../support/refused.js";

type WithOutbox = StateStore & Required<Pick<StateStore, "outbox">>;

const NAME = { tenantId: "acme", subscriptionId: "hook" };
const definition = {
  bus: { type: "webhook", url: "https://example.com/é", secrets: ["env:KEY"] },
  filter: { workflows: ["orders"], eventTypes: ["RunCompleted"], labels: { team: "a|b" } },
  maxAttempts: 3,
};

const create = ({ outbox }: WithOutbox, subscriptionId = "hook", startsAt: string | null = null) =>
  outbox.createSubscription({ ...NAME, subscriptionId, definition, startsAt });

async function append(store: WithOutbox, runId: string, count = 1, tenantId = "acme"): Promise<void> {
  const head = (await store.fetchHeads([runId]))[0]?.headSeq ?? 0;
  await store.forTenant(tenantId).appendEvents(stepsOf(runId, count, head + 1));
  await store.outbox.recordChanges([{ runId, headSeq: head + count }]);
}

let claims = 0;
const claim = ({ outbox }: Pick<WithOutbox, "outbox">, parts: { holdMs?: number; perSubscription?: number } = {}) =>
  outbox.claimDeliveries({ token: `claim-${++claims}`, holdMs: 60_000, perSubscription: 10, ...parts });

const outcomeOf = (claimed: ClaimedDelivery, parts: Partial<DeliveryOutcome> = {}): DeliveryOutcome => {
  const { number, runId, token, headSeq } = claimed;
  return { number, runId, token, deliveredSeq: headSeq, isAccepted: parts.failure === undefined, ...parts };
};

const failed = (claimed: ClaimedDelivery, failure: Partial<DeliveryFailure> = {}): DeliveryOutcome =>
  outcomeOf(claimed, { deliveredSeq: claimed.deliveredSeq, failure: { ...FAILURE, ...failure } });
const FAILURE: DeliveryFailure = { message: "refused", attempts: 1, retryInMs: 0 };

const placesOf = (claimed: readonly ClaimedDelivery[]) =>
  claimed.map(({ subscriptionId, runId, deliveredSeq, headSeq }) => [subscriptionId, runId, deliveredSeq, headSeq]);
const sorted = (places: ReturnType<typeof placesOf>) =>
  places.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Subscriptions, and the deliveries that processes share. */
export const outbox = clause("outbox", ["outbox"], {
  "a subscription is read back as it was created, also by another process": async ({ store, another }) => {
    assert.equal(await store.outbox.hasSubscriptions(), false);
    const created = await create(store);
    const { now, subscription } = await (await another()).outbox!.getSubscription(NAME);
    assert.deepEqual(subscription, created);
    assert.deepEqual(created?.definition, definition);
    const { startsAt, pausedAt, failures, retryAt, lastError, lastDeliveredAt } = created;
    assert.deepEqual(
      [startsAt, pausedAt, failures, retryAt, lastError, lastDeliveredAt],
      [null, null, 0, null, null, null],
    );
    assert.ok(Math.abs(Date.parse(now) - Date.parse(created.createdAt)) < 3_600_000, now);
    assert.equal(await create(store), null, "the name is taken");
    assert.equal(await store.outbox.hasSubscriptions(), true);
  },

  "subscriptions are listed by id, and each tenant has its own": async ({ store }) => {
    for (const id of ["b", "B", "a", "c"]) await create(store, id);
    const ids = async (page: { tenantId: string; afterId?: string; limit?: number }) =>
      (await store.outbox.listSubscriptions(page)).map(({ subscriptionId }) => subscriptionId);
    assert.deepEqual(await ids({ tenantId: "acme" }), ["B", "a", "b", "c"]);
    assert.deepEqual(await ids({ tenantId: "acme", afterId: "B", limit: 2 }), ["a", "b"]);
    assert.deepEqual(await ids({ tenantId: "other" }), []);
    const other = { tenantId: "other", subscriptionId: "a" };
    assert.equal((await store.outbox.getSubscription(other)).subscription, null);
    assert.equal(await store.outbox.pauseSubscription(other, true), null);
    assert.equal(await store.outbox.changeSubscription(other, definition), null);
    assert.equal(await store.outbox.rewindSubscription(other, null), null);
    assert.equal(await store.outbox.subscriptionStatus(other), null);
    assert.equal(await store.outbox.removeSubscription(other), false);
    assert.equal(await store.outbox.removeSubscription({ ...NAME, subscriptionId: "a" }), true);
    assert.deepEqual(await ids({ tenantId: "acme" }), ["B", "b", "c"]);
  },

  "a changed definition has another version": async ({ store }) => {
    const created = await create(store);
    const changed = await store.outbox.changeSubscription(NAME, { ...definition, maxAttempts: 9 });
    assert.equal(changed?.definition.maxAttempts, 9);
    assert.notEqual(changed?.version, created?.version);
    assert.equal(changed?.number, created?.number);
  },

  "a change is claimed once by one process, and again after it was delivered and another event came": async ({
    store,
    another,
  }) => {
    await create(store);
    await append(store, "run-1", 2);
    const [one, two] = await Promise.all([claim(store), claim({ outbox: (await another()).outbox! })]);
    const [held] = [...one, ...two];
    assert.deepEqual(placesOf([...one, ...two]), [["hook", "run-1", 0, 2]]);
    await append(store, "run-1");
    assert.deepEqual(await claim(store), [], "it is held");
    await store.outbox.saveDeliveries([outcomeOf(held!)]);
    const again = await claim(store);
    assert.deepEqual(placesOf(again), [["hook", "run-1", 2, 3]]);
    await store.outbox.saveDeliveries([outcomeOf(again[0]!)]);
    assert.deepEqual(await claim(store), []);
    await store.outbox.recordChanges([{ runId: "run-1", headSeq: 3 }]);
    assert.deepEqual(await claim(store), [], "a repeated change is no work");
    assert.notEqual((await store.outbox.getSubscription(NAME)).subscription?.lastDeliveredAt, null);
  },

  "each subscription of a run's tenant has its own deliveries, other tenants have none": async ({ store }) => {
    for (const id of ["one", "two"]) await create(store, id);
    await store.outbox.createSubscription({ tenantId: "other", subscriptionId: "o", definition, startsAt: null });
    await append(store, "run-1");
    await append(store, "run-o", 1, "other");
    const claimed = await claim(store);
    const places = placesOf(claimed).sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
    assert.deepEqual(
      places.map(([id, runId]) => [id, runId]),
      [
        ["o", "run-o"],
        ["one", "run-1"],
        ["two", "run-1"],
      ],
    );
  },

  "a claim that ended is refused, and the run goes to another process": async ({ store }) => {
    await create(store);
    await append(store, "run-1");
    const [lost] = await claim(store, { holdMs: 1 });
    await pause(20);
    const [found] = await claim(store);
    assert.equal(found?.runId, "run-1");
    await store.outbox.saveDeliveries([outcomeOf(lost!)]);
    assert.equal((await store.outbox.subscriptionStatus(NAME))?.pendingRuns, 1, "the old claim saved nothing");
    await store.outbox.saveDeliveries([outcomeOf(found)]);
    assert.equal((await store.outbox.subscriptionStatus(NAME))?.pendingRuns, 0);
  },

  "a claim takes a number of runs per subscription, and none of the excepted": async ({ store }) => {
    const [one, two] = [await create(store, "one"), await create(store, "two")];
    for (let n = 0; n < 4; n++) await append(store, `run-${n}`);
    const except = [one!.number];
    const some = await store.outbox.claimDeliveries({ token: "some", holdMs: 60_000, perSubscription: 3, except });
    assert.deepEqual(
      some.map(({ number }) => number),
      [two, two, two].map((each) => each!.number),
    );
    assert.equal((await claim(store, { perSubscription: 2 })).length, 3, "two of the one, the last of the other");
  },

  "a paused subscription is not claimed, and loses nothing": async ({ store }) => {
    await create(store);
    const paused = await store.outbox.pauseSubscription(NAME, true);
    assert.notEqual(paused?.pausedAt, null);
    assert.deepEqual(await store.outbox.pauseSubscription(NAME, true), paused);
    await append(store, "run-1");
    assert.deepEqual(await claim(store), []);
    assert.equal((await store.outbox.pauseSubscription(NAME, false))?.pausedAt, null);
    assert.equal((await claim(store)).length, 1);
  },

  "an excluded run stays excluded": async ({ store }) => {
    await create(store);
    await append(store, "run-1");
    const [claimed] = await claim(store);
    await store.outbox.saveDeliveries([outcomeOf(claimed!, { isExcluded: true })]);
    await append(store, "run-1");
    assert.deepEqual(await claim(store), []);
    assert.equal((await store.outbox.subscriptionStatus(NAME))?.pendingRuns, 0);
  },

  "a refused event waits with its run, other runs continue": async ({ store }) => {
    await create(store);
    for (const runId of ["bad", "good"]) await append(store, runId);
    const claimed = await claim(store);
    const bad = claimed.find(({ runId }) => runId === "bad")!;
    const good = claimed.find(({ runId }) => runId === "good")!;
    await store.outbox.saveDeliveries([failed(bad, { attempts: 2, retryInMs: 60_000 }), outcomeOf(good)]);
    await append(store, "bad");
    await append(store, "good");
    assert.deepEqual(placesOf(await claim(store)), [["hook", "good", 1, 2]]);
    const { lastError, failures } = (await store.outbox.getSubscription(NAME)).subscription!;
    assert.deepEqual([lastError?.message, failures], ["refused", 0]);
  },

  "a failed attempt is counted until the event is delivered": async ({ store }) => {
    await create(store);
    await append(store, "run-1", 2);
    const [first] = await claim(store);
    await store.outbox.saveDeliveries([failed(first!, { attempts: 4 })]);
    const [second] = await claim(store);
    assert.deepEqual([second?.attempts, second?.othersDelivered], [4, false]);
    await store.outbox.saveDeliveries([outcomeOf(second!, { deliveredSeq: 1 })]);
    const [third] = await claim(store);
    assert.deepEqual([third?.attempts, third?.deliveredSeq], [0, 1]);
  },

  "a claim that is released without an attempt keeps the failed attempts": async ({ store }) => {
    await create(store);
    await append(store, "run-1");
    const [first] = await claim(store);
    await store.outbox.saveDeliveries([failed(first!, { attempts: 4 })]);
    const [second] = await claim(store);
    const { deliveredSeq } = second!;
    await store.outbox.saveDeliveries([outcomeOf(second!, { deliveredSeq, isAccepted: false })]);
    const [third] = await claim(store);
    assert.equal(third?.attempts, 4);
  },

  "a bus that is unavailable makes the subscription wait, and then gets one run to try": async ({ store }) => {
    await create(store);
    for (let n = 0; n < 3; n++) await append(store, `run-${n}`);
    const [one, ...others] = await claim(store);
    await store.outbox.saveDeliveries([failed(one!, { bus: { failures: 1, retryInMs: 60_000 } })]);
    await store.outbox.saveDeliveries(others.map((each) => failed(each)));
    const { failures, retryAt } = (await store.outbox.getSubscription(NAME)).subscription!;
    assert.equal(failures, 1);
    assert.notEqual(retryAt, null);
    assert.deepEqual(await claim(store), []);
    await store.outbox.pauseSubscription(NAME, false);
    const probe = await claim(store);
    assert.deepEqual(
      probe.map((each) => each.failures),
      [1],
    );
    await store.outbox.saveDeliveries([outcomeOf(probe[0]!)]);
    const recovered = (await store.outbox.getSubscription(NAME)).subscription!;
    assert.deepEqual([recovered.failures, recovered.retryAt], [0, null]);
    assert.equal((await claim(store)).length, 2);
  },

  "a process learns that the bus has accepted other events since": async ({ store }) => {
    await create(store);
    await append(store, "bad");
    const [bad] = await claim(store);
    await store.outbox.saveDeliveries([failed(bad!)]);
    await append(store, "good");
    await pause(5);
    const claimed = await claim(store);
    const isGood = ({ runId }: ClaimedDelivery): boolean => runId === "good";
    await store.outbox.saveDeliveries([failed(claimed.find((each) => !isGood(each))!)]);
    await pause(5);
    await store.outbox.saveDeliveries([outcomeOf(claimed.find(isGood)!)]);
    const [again] = await claim(store);
    assert.deepEqual([again?.runId, again?.othersDelivered], ["bad", true]);
  },

  "a dead letter holds its run until it is redriven or dropped": async ({ store }) => {
    await create(store);
    for (const runId of ["a", "b"]) await append(store, runId, 3);
    const claimed = await claim(store);
    const dead = { isDead: true, attempts: 3, message: "HTTP 400" };
    await store.outbox.saveDeliveries(claimed.map((each) => ({ ...failed(each, dead), deliveredSeq: 1 })));
    for (const runId of ["a", "b"]) await append(store, runId);
    assert.deepEqual(await claim(store), []);
    const letters = await store.outbox.listDeadLetters({ tenantId: "acme" });
    assert.deepEqual(
      letters.map(({ runId, runSeq, attempts, error }) => [runId, runSeq, attempts, error]),
      [
        ["a", 2, 3, "HTTP 400"],
        ["b", 2, 3, "HTTP 400"],
      ],
    );
    const { pendingRuns, deadLetters } = (await store.outbox.subscriptionStatus(NAME))!;
    assert.deepEqual([pendingRuns, deadLetters], [2, 2]);
    const page = { tenantId: "acme", subscriptionId: "hook", after: { subscriptionId: "hook", runId: "a" } };
    assert.deepEqual(
      (await store.outbox.listDeadLetters(page)).map(({ runId }) => runId),
      ["b"],
    );
    assert.deepEqual(
      (await store.outbox.listDeadLetters({ tenantId: "acme", runId: "b" })).map(({ runId }) => runId),
      ["b"],
    );
    assert.deepEqual(await store.outbox.listDeadLetters({ tenantId: "other" }), []);
    assert.equal(await store.outbox.redriveDeadLetter({ ...NAME, tenantId: "other", runId: "a" }), false);
    assert.equal(await store.outbox.redriveDeadLetter({ ...NAME, runId: "a" }), true);
    assert.equal(await store.outbox.dropDeadLetter({ ...NAME, runId: "b" }), true);
    assert.equal(await store.outbox.dropDeadLetter({ ...NAME, runId: "b" }), false);
    const places = sorted(placesOf(await claim(store)));
    assert.deepEqual(places, [
      ["hook", "a", 1, 4],
      ["hook", "b", 2, 4],
    ]);
  },

  "a new subscription lists the runs that exist, page by page": async ({ store }) => {
    for (let n = 0; n < 5; n++) await append(store, `run-${n}`);
    await append(store, "run-2-other", 1, "other");
    await create(store);
    assert.equal((await store.outbox.subscriptionStatus(NAME))?.isFilling, true);
    while (await store.outbox.fillNext({ limit: 2 }));
    assert.equal((await store.outbox.subscriptionStatus(NAME))?.isFilling, false);
    const runs = (await claim(store)).map(({ runId }) => runId).sort();
    assert.deepEqual(runs, ["run-0", "run-1", "run-2", "run-3", "run-4"]);
  },

  "a subscription that starts now lists no run that has not changed since": async ({ store }) => {
    await append(store, "old");
    await pause(5);
    const created = await create(store, "hook", "now");
    assert.notEqual(created?.startsAt, null);
    await append(store, "new");
    while (await store.outbox.fillNext({ limit: 10 }));
    const claimed = await claim(store);
    assert.deepEqual(
      claimed.map(({ runId, startsAt }) => [runId, startsAt]),
      [["new", created!.startsAt]],
    );
  },

  "a refill lists all runs again, and delivered runs are no work": async ({ store }) => {
    await create(store);
    while (await store.outbox.fillNext({ limit: 10 }));
    await append(store, "run-1");
    await store.outbox.saveDeliveries((await claim(store)).map((each) => outcomeOf(each)));
    await store.forTenant("acme").appendEvents(stepsOf("unreported", 2));
    assert.equal(await store.outbox.fillNext({ limit: 10 }), false);
    await store.outbox.refill();
    while (await store.outbox.fillNext({ limit: 10 }));
    assert.deepEqual(placesOf(await claim(store)), [["hook", "unreported", 0, 2]]);
  },

  "a rewind delivers everything again, and old claims save nothing": async ({ store }) => {
    const created = await create(store);
    while (await store.outbox.fillNext({ limit: 10 }));
    await append(store, "run-1", 2);
    await append(store, "dead");
    const [held, ...others] = await claim(store);
    await store.outbox.saveDeliveries(others.map((each) => failed(each, { isDead: true })));
    const rewound = await store.outbox.rewindSubscription(NAME, null);
    assert.ok(rewound!.number > created!.number);
    await store.outbox.saveDeliveries([outcomeOf(held!)]);
    assert.deepEqual(await store.outbox.listDeadLetters({ tenantId: "acme" }), []);
    while (await store.outbox.fillNext({ limit: 10 }));
    assert.deepEqual(sorted(placesOf(await claim(store))), [
      ["hook", "dead", 0, 1],
      ["hook", "run-1", 0, 2],
    ]);
    assert.equal(await store.outbox.sweepDeliveries(), 2);
    assert.equal(await store.outbox.sweepDeliveries(), 0);
  },

  "a removed subscription has no deliveries, also after it was created again": async ({ store }) => {
    await create(store);
    await append(store, "run-1");
    const [held] = await claim(store);
    assert.equal(await store.outbox.removeSubscription(NAME), true);
    assert.deepEqual(await claim(store), []);
    await create(store);
    await store.outbox.saveDeliveries([outcomeOf(held!)]);
    while (await store.outbox.fillNext({ limit: 10 }));
    assert.deepEqual(placesOf(await claim(store)), [["hook", "run-1", 0, 1]]);
    assert.equal(await store.outbox.sweepDeliveries(), 1);
  },

  "K3: names are identifiers, and a definition is small JSON": async ({ store }) => {
    const bad = { ...NAME, subscriptionId: "a|b" };
    await refusedInput(store.outbox.getSubscription(bad), "IDENTIFIER_INVALID", "subscriptionId");
    await refusedInput(store.outbox.removeSubscription(bad), "IDENTIFIER_INVALID", "subscriptionId");
    await refusedInput(store.outbox.redriveDeadLetter({ ...NAME, runId: "" }), "IDENTIFIER_INVALID", "runId");
    const large = { ...definition, bus: { type: "webhook", url: "x".repeat(70_000) } };
    const call = store.outbox.createSubscription({ ...NAME, definition: large, startsAt: null });
    await refusedInput(call, "PAYLOAD_TOO_LARGE", "definition");
  },
});
