import type {
  ClaimedDelivery,
  DeliveryOutcome,
  OutboxStore,
  RunChange,
  SubscriptionName,
  SubscriptionStatus,
} from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import { changeDocument, readDocument, tryTransact, untilCurrent } from "./documents.js";
import { number, text } from "./encoding.js";
import { listHeads, readHeads } from "./heads.js";
import { chunked, deleteItems, LAST, queryAll, queryPages } from "./items.js";
import {
  allSubscriptions,
  deadPartition,
  deliveriesPartition,
  isPending,
  pendingPartition,
  readDeliveries,
  RETIRED,
  subscriptionKey,
  writeDelivery,
  type DeliveryRow,
  type StoredDelivery,
  type SubscriptionRow,
} from "./outbox-items.js";
import { timeKey } from "./queue-keys.js";

type Deliveries = Pick<
  OutboxStore,
  | "subscriptionStatus"
  | "recordChanges"
  | "refill"
  | "fillNext"
  | "claimDeliveries"
  | "saveDeliveries"
  | "sweepDeliveries"
>;

export function deliveries(db: Db): Deliveries {
  const { client } = db;
  return {
    subscriptionStatus: (name) => status(client, name),
    recordChanges: (changes) => recordChanges(client, changes),
    refill: async () => {
      for (const row of await allSubscriptions(client))
        await changeFill(client, row, { isFilling: true, filledTo: "" });
    },
    fillNext: ({ limit }) => fillNext(db, limit),
    claimDeliveries: (params) => claim(client, params),
    saveDeliveries: (outcomes) => saveDeliveries(client, outcomes),
    sweepDeliveries: () => sweep(client),
  };
}

async function recordChanges(client: DynamoClient, changes: readonly RunChange[]): Promise<void> {
  const subscriptions = await allSubscriptions(client);
  if (subscriptions.length === 0 || changes.length === 0) return;
  const heads = await readHeads(
    client,
    changes.map(({ runId }) => runId),
  );
  for (const { tenantId, number: subscription } of subscriptions) {
    const own = changes.filter((_, index) => heads[index]?.tenantId === tenantId);
    await record(client, subscription, own);
  }
}

const AT_ONCE = 20;

async function record(client: DynamoClient, subscription: number, changes: readonly RunChange[]): Promise<void> {
  const latest = new Map<string, RunChange>();
  for (const change of changes) {
    if ((latest.get(change.runId)?.headSeq ?? 0) < change.headSeq) latest.set(change.runId, change);
  }
  for (const some of chunked([...latest.values()], AT_ONCE)) {
    const known = await readDeliveries(
      client,
      subscription,
      some.map(({ runId }) => runId),
    );
    await Promise.all(some.map((change, index) => recordOne(client, subscription, change, known[index] ?? null)));
  }
}

function recordOne(
  client: DynamoClient,
  subscription: number,
  { runId, headSeq }: RunChange,
  known: StoredDelivery | null,
): Promise<boolean> {
  let before: StoredDelivery | null | undefined = known;
  return untilCurrent(async () => {
    if (before === undefined) [before = null] = await readDeliveries(client, subscription, [runId]);
    const now = client.clock.now();
    const row = before?.row ?? newDelivery(now);
    if (row.headSeq >= headSeq) return true;
    const after = { ...row, headSeq, pendingSince: isPending(row) ? row.pendingSince : now };
    const isDone = await tryTransact(client, writeDelivery(subscription, runId, before, after));
    before = undefined;
    return isDone || undefined;
  });
}

function newDelivery(now: number): DeliveryRow {
  const none = { failedAt: null, error: null, deadAt: null };
  return {
    deliveredSeq: 0,
    headSeq: 0,
    isExcluded: false,
    dueAt: now,
    pendingSince: now,
    token: null,
    attempts: 0,
    ...none,
  };
}

function changeFill(
  client: DynamoClient,
  { number: subscription, ...name }: SubscriptionRow,
  filling: Pick<SubscriptionRow, "isFilling" | "filledTo">,
): Promise<SubscriptionRow | null> {
  return changeDocument<SubscriptionRow>(client, subscriptionKey(name), (row) =>
    row.number === subscription ? { ...row, ...filling } : row,
  );
}

/** Lists runs of one subscription at a time. */
async function fillNext(db: Db, limit: number): Promise<boolean> {
  const row = (await allSubscriptions(db.client)).find(({ isFilling }) => isFilling);
  if (row === undefined) return false;
  const heads = await listHeads(db, { afterRunId: row.filledTo, limit, archived: true, tenantId: row.tenantId });
  const recent = heads.filter(({ persistedAt }) => row.startsAt === null || persistedAt >= row.startsAt);
  await record(db.client, row.number, recent);
  const isFilling = heads.length >= limit;
  await changeFill(db.client, row, { isFilling, filledTo: isFilling ? heads.at(-1)!.runId : "" });
  return true;
}

/** One request for the subscriptions, and one for each that is not paused. */
async function claim(
  client: DynamoClient,
  params: Parameters<OutboxStore["claimDeliveries"]>[0],
): Promise<ClaimedDelivery[]> {
  const { except = [], perSubscription } = params;
  const now = client.clock.now();
  const ready = (await allSubscriptions(client)).filter(
    (row) =>
      row.pausedAt === null && (row.retryAt === null || Date.parse(row.retryAt) <= now) && !except.includes(row.number),
  );
  const claimed = ready.map(async (subscription) => {
    const limit = subscription.failures > 0 ? 1 : perSubscription;
    const range = { pk: pendingPartition(subscription.number), to: `${timeKey(now)}${LAST}`, limit };
    const due = (await queryAll(client, range)).map((item) => text(item, "runId"));
    const rows = await readDeliveries(client, subscription.number, due);
    const found = rows.filter((row) => row !== null && isDue(row.row, now));
    return Promise.all(found.map((row) => hold(client, subscription, row!, params, now)));
  });
  return (await Promise.all(claimed)).flat().filter((each) => each !== null);
}

const isDue = (row: DeliveryRow, now: number): boolean => isPending(row) && row.deadAt === null && row.dueAt <= now;

/** `null` if another process changed the run's deliveries at this moment. */
async function hold(
  client: DynamoClient,
  subscription: SubscriptionRow,
  before: StoredDelivery,
  { token, holdMs }: { readonly token: string; readonly holdMs: number },
  now: number,
): Promise<ClaimedDelivery | null> {
  const { tenantId, subscriptionId, number: own, version, startsAt, failures, lastDeliveredAt } = subscription;
  const { runId, row } = before;
  if (!(await tryTransact(client, writeDelivery(own, runId, before, { ...row, token, dueAt: now + holdMs }))))
    return null;
  const { deliveredSeq, headSeq, attempts, failedAt } = row;
  const othersDelivered = failedAt !== null && lastDeliveredAt !== null && Date.parse(lastDeliveredAt) > failedAt;
  const known = { tenantId, subscriptionId, number: own, token, version, startsAt, runId };
  return { ...known, deliveredSeq, headSeq, attempts, failures, othersDelivered };
}

async function saveDeliveries(client: DynamoClient, outcomes: readonly DeliveryOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const saved: DeliveryOutcome[] = [];
  for (const some of chunked(outcomes, AT_ONCE)) {
    const done = await Promise.all(some.map((outcome) => save(client, outcome)));
    saved.push(...some.filter((_, index) => done[index]));
  }
  for (const row of saved.length === 0 ? [] : await allSubscriptions(client)) {
    const own = saved.filter((outcome) => outcome.number === row.number && isHealthNews(outcome));
    if (own.length > 0) await noteHealth(client, row, own);
  }
}

/** Returns `false` if another process claimed the run meanwhile. */
function save(client: DynamoClient, outcome: DeliveryOutcome): Promise<boolean> {
  return untilCurrent(async () => {
    const [before = null] = await readDeliveries(client, outcome.number, [outcome.runId]);
    if (before === null || before.row.token !== outcome.token) return false;
    const after = savedRow(before.row, outcome, client.clock.now());
    return (await tryTransact(client, writeDelivery(outcome.number, outcome.runId, before, after))) || undefined;
  });
}

function savedRow(row: DeliveryRow, outcome: DeliveryOutcome, now: number): DeliveryRow {
  const { deliveredSeq, isExcluded = false, failure } = outcome;
  const isReleased = failure === undefined && deliveredSeq === row.deliveredSeq;
  return {
    deliveredSeq,
    headSeq: row.headSeq,
    isExcluded,
    token: null,
    dueAt: now + (failure?.retryInMs ?? 0),
    pendingSince: deliveredSeq > row.deliveredSeq ? now : row.pendingSince,
    ...(isReleased ? failureIn(row) : failureOf(failure, now)),
    deadAt: failure?.isDead === true ? now : null,
  };
}

type RowFailure = Pick<DeliveryRow, "attempts" | "failedAt" | "error">;

/** A claim that was released without an attempt keeps the failed ones. */
const failureIn = ({ attempts, failedAt, error }: DeliveryRow): RowFailure => ({ attempts, failedAt, error });

const failureOf = (failure: DeliveryOutcome["failure"], now: number): RowFailure =>
  failure === undefined
    ? { attempts: 0, failedAt: null, error: null }
    : { attempts: failure.attempts, failedAt: now, error: failure.message };

const isHealthNews = ({ isAccepted = false, failure }: DeliveryOutcome): boolean => isAccepted || failure !== undefined;

async function noteHealth(
  client: DynamoClient,
  { number: subscription, ...name }: SubscriptionRow,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  const now = client.clock.now();
  await changeDocument<SubscriptionRow>(client, subscriptionKey(name), (row) =>
    row.number === subscription ? outcomes.reduce((one, outcome) => healthAfter(one, outcome, now), row) : row,
  );
}

function healthAfter(
  row: SubscriptionRow,
  { isAccepted = false, failure }: DeliveryOutcome,
  now: number,
): SubscriptionRow {
  const lastError = failure === undefined ? row.lastError : { at: iso(now), message: failure.message };
  if (isAccepted) return { ...row, lastError, failures: 0, retryAt: null, lastDeliveredAt: iso(now) };
  if (failure?.bus === undefined) return { ...row, lastError };
  return { ...row, lastError, failures: failure.bus.failures, retryAt: iso(now + failure.bus.retryInMs) };
}

const MOST_COUNTED = 10_000;

async function status(client: DynamoClient, name: SubscriptionName): Promise<SubscriptionStatus | null> {
  const stored = await readDocument<SubscriptionRow>(client, subscriptionKey(name));
  if (stored === null) return null;
  const { number: own, isFilling } = stored.value;
  const [due, dead] = await Promise.all(
    [pendingPartition(own), deadPartition(own)].map((pk) => queryAll(client, { pk, limit: MOST_COUNTED })),
  );
  const since = [...due!, ...dead!].map((item) => number(item, "pendingSince"));
  return {
    pendingRuns: Math.min(MOST_COUNTED, since.length),
    oldestPendingAt: since.length === 0 ? null : iso(since.reduce((one, other) => Math.min(one, other))),
    deadLetters: dead!.length,
    isFilling,
  };
}

/** Numbers stay listed for a day, because a process that stalled may write under one. */
async function sweep(client: DynamoClient): Promise<number> {
  let swept = 0;
  for (const item of await queryAll(client, { pk: RETIRED })) {
    const own = number(item, "subscription");
    for (const pk of [pendingPartition(own), deadPartition(own), deliveriesPartition(own)])
      for await (const page of queryPages(client, { pk })) {
        await deleteItems(
          client,
          page.map((each) => ({ pk: text(each, "pk"), sk: text(each, "sk") })),
        );
        if (pk === deliveriesPartition(own)) swept += page.length;
        if (swept >= MOST_COUNTED) return swept;
      }
  }
  return swept;
}

/** Returns `true` if a subscription has not received the run's last events. */
export async function isUndelivered(client: DynamoClient, tenantId: string, runId: string): Promise<boolean> {
  const own = (await allSubscriptions(client)).filter((row) => row.tenantId === tenantId);
  const rows = await Promise.all(own.map((row) => readDeliveries(client, row.number, [runId])));
  return rows.flat().some((stored) => stored !== null && isPending(stored.row) && stored.row.deadAt === null);
}

/** Deletes the deliveries of a run that was deleted. */
export async function deleteDeliveries(client: DynamoClient, tenantId: string, runId: string): Promise<void> {
  await changeAll(client, tenantId, runId, () => null);
}

/** Replaces the messages of failures, which may quote the run's data. */
export async function eraseDeliveries(client: DynamoClient, tenantId: string, runId: string): Promise<void> {
  await changeAll(client, tenantId, runId, (row) => (row.error === null ? row : { ...row, error: "erased" }));
}

/** Changes the deliveries of a run to every subscription. */
async function changeAll(
  client: DynamoClient,
  tenantId: string,
  runId: string,
  change: (row: DeliveryRow) => DeliveryRow | null,
): Promise<void> {
  const own = (await allSubscriptions(client)).filter((row) => row.tenantId === tenantId);
  for (const { number: subscription } of own)
    await untilCurrent(async () => {
      const [before = null] = await readDeliveries(client, subscription, [runId]);
      const after = before === null ? null : change(before.row);
      if (before === null || after === before.row) return true;
      return (await tryTransact(client, writeDelivery(subscription, runId, before, after))) || undefined;
    });
}
