import type {
  ClaimedDelivery,
  DeliveryOutcome,
  OutboxStore,
  SubscriptionName,
  SubscriptionStatus,
} from "@runledger/contracts";
import { iso, keyOf, put, rowsOf, type DeliveryRow, type SubscriptionRow } from "./outbox-tables.js";
import { headOf, type Tables } from "./tables.js";

const isPending = (row: DeliveryRow): boolean => row.deliveredSeq < row.headSeq && !row.isExcluded;

type Deliveries = Omit<
  OutboxStore,
  `${string}Subscription` | `${string}Subscriptions` | `${string}DeadLetter` | "listDeadLetters"
>;

export function deliveries(tables: Tables): Deliveries {
  const { subscriptions } = tables.outbox;
  return {
    subscriptionStatus: async (name) => status(tables, name),
    recordChanges: async (changes) => {
      for (const { runId, headSeq } of changes)
        for (const row of subscriptions.values()) record(tables, row, runId, headSeq);
    },
    refill: async () => {
      for (const row of subscriptions.values()) put(tables, { ...row, isFilling: true });
    },
    fillNext: async () => fill(tables),
    claimDeliveries: async (params) => claim(tables, params),
    saveDeliveries: async (outcomes) => {
      for (const outcome of outcomes) save(tables, outcome);
    },
    sweepDeliveries: async () => sweep(tables),
  };
}

function record(tables: Tables, { tenantId, number }: SubscriptionRow, runId: string, headSeq: number): void {
  if (tables.runs.get(runId)?.tenantId !== tenantId) return;
  const now = tables.now();
  const fresh = { deliveredSeq: 0, isExcluded: false, dueAt: now, pendingSince: now, token: null, attempts: 0 };
  const rows = rowsOf(tables, number);
  const row = rows.get(runId) ?? { ...fresh, headSeq: 0, failedAt: null, error: null, deadAt: null };
  if (row.headSeq >= headSeq) return;
  rows.set(runId, { ...row, headSeq, pendingSince: isPending(row) ? row.pendingSince : now });
}

function fill(tables: Tables): boolean {
  const filling = [...tables.outbox.subscriptions.values()].filter(({ isFilling }) => isFilling);
  for (const row of filling) {
    const from = row.startsAt === null ? 0 : Date.parse(row.startsAt);
    for (const run of tables.runs.values()) if (run.persistedAt >= from) record(tables, row, run.runId, headOf(run));
    put(tables, { ...row, isFilling: false });
  }
  return filling.length > 0;
}

function claim(tables: Tables, params: Parameters<OutboxStore["claimDeliveries"]>[0]): ClaimedDelivery[] {
  const { except = [], perSubscription } = params;
  const now = tables.now();
  const ready = [...tables.outbox.subscriptions.values()].filter(
    ({ number, pausedAt, retryAt }) =>
      pausedAt === null && (retryAt === null || Date.parse(retryAt) <= now) && !except.includes(number),
  );
  return ready.flatMap((subscription) => {
    const due = [...rowsOf(tables, subscription.number)]
      .filter(([, row]) => isPending(row) && row.deadAt === null && row.dueAt <= now)
      .sort(([, a], [, b]) => a.dueAt - b.dueAt)
      .slice(0, subscription.failures > 0 ? 1 : perSubscription);
    return due.map(([runId, row]) => hold(tables, subscription, runId, row, params));
  });
}

function hold(
  tables: Tables,
  subscription: SubscriptionRow,
  runId: string,
  row: DeliveryRow,
  { token, holdMs }: { readonly token: string; readonly holdMs: number },
): ClaimedDelivery {
  const { tenantId, subscriptionId, number, version, startsAt, failures, lastDeliveredAt } = subscription;
  rowsOf(tables, number).set(runId, { ...row, token, dueAt: tables.now() + holdMs });
  const { deliveredSeq, headSeq, attempts, failedAt } = row;
  const othersDelivered = failedAt !== null && lastDeliveredAt !== null && Date.parse(lastDeliveredAt) > failedAt;
  const known = { tenantId, subscriptionId, number, token, version, startsAt, runId };
  return { ...known, deliveredSeq, headSeq, attempts, failures, othersDelivered };
}

function save(tables: Tables, outcome: DeliveryOutcome): void {
  const { number, runId, token, deliveredSeq, isExcluded = false, failure } = outcome;
  const row = rowsOf(tables, number).get(runId);
  if (row?.token !== token) return;
  const now = tables.now();
  const isReleased = failure === undefined && deliveredSeq === row.deliveredSeq;
  rowsOf(tables, number).set(runId, {
    deliveredSeq,
    headSeq: row.headSeq,
    isExcluded,
    token: null,
    dueAt: now + (failure?.retryInMs ?? 0),
    pendingSince: deliveredSeq > row.deliveredSeq ? now : row.pendingSince,
    ...(isReleased ? failureIn(row) : failureOf(failure, now)),
    deadAt: failure?.isDead === true ? now : null,
  });
  noteHealth(tables, outcome);
}

type RowFailure = Pick<DeliveryRow, "attempts" | "failedAt" | "error">;

/** A claim that was released without an attempt keeps the failed ones. */
const failureIn = ({ attempts, failedAt, error }: DeliveryRow): RowFailure => ({ attempts, failedAt, error });

const failureOf = (failure: DeliveryOutcome["failure"], now: number): RowFailure =>
  failure === undefined
    ? { attempts: 0, failedAt: null, error: null }
    : { attempts: failure.attempts, failedAt: now, error: failure.message };

function noteHealth(tables: Tables, { number, isAccepted = false, failure }: DeliveryOutcome): void {
  const row = [...tables.outbox.subscriptions.values()].find((each) => each.number === number);
  if (row === undefined) return;
  const now = tables.now();
  const lastError = failure === undefined ? row.lastError : { at: iso(now), message: failure.message };
  if (isAccepted) put(tables, { ...row, lastError, failures: 0, retryAt: null, lastDeliveredAt: iso(now) });
  else if (failure?.bus === undefined) put(tables, { ...row, lastError });
  else put(tables, { ...row, lastError, failures: failure.bus.failures, retryAt: iso(now + failure.bus.retryInMs) });
}

function status(tables: Tables, name: SubscriptionName): SubscriptionStatus | null {
  const row = tables.outbox.subscriptions.get(keyOf(name));
  if (row === undefined) return null;
  const pending = [...rowsOf(tables, row.number).values()].filter(isPending);
  return {
    pendingRuns: pending.length,
    oldestPendingAt: pending.length === 0 ? null : iso(Math.min(...pending.map(({ pendingSince }) => pendingSince))),
    deadLetters: pending.filter(({ deadAt }) => deadAt !== null).length,
    isFilling: row.isFilling,
  };
}

function sweep({ outbox: { subscriptions, deliveries: all } }: Tables): number {
  const known = new Set([...subscriptions.values()].map(({ number }) => number));
  const gone = [...all].filter(([number]) => !known.has(number));
  for (const [number] of gone) all.delete(number);
  return gone.reduce((sum, [, rows]) => sum + rows.size, 0);
}
