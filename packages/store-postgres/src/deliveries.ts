/** How far each run was delivered to each subscription. Statements lock deliveries in the order of their keys. */
import type { ClaimedDelivery, DeliveryOutcome, OutboxStore, RunChange, SubscriptionName } from "@runledger/contracts";
import { numberArray, textArray } from "./arrays.js";
import type { Database, Row, Statement } from "./client.js";

/** An idle run becomes pending; a pending one keeps its due time, which may be a retry or a claim. */
const onConflict = `
ON CONFLICT (number, run_id) DO UPDATE SET head_seq = excluded.head_seq,
  pending_since = CASE WHEN d.delivered_seq < d.head_seq THEN d.pending_since ELSE excluded.pending_since END
WHERE d.head_seq < excluded.head_seq AND NOT d.is_excluded`;

const record: Statement = {
  name: "delivery_record",
  text: `
INSERT INTO runledger.deliveries AS d (number, run_id, head_seq, due_at, pending_since)
SELECT s.number, c.run_id, max(c.head_seq), statement_timestamp(), statement_timestamp()
FROM unnest($1::text[], $2::bigint[]) AS c (run_id, head_seq)
JOIN runledger.run_heads h ON h.run_id = c.run_id
JOIN runledger.subscriptions s ON s.tenant_id = h.tenant_id
GROUP BY s.number, c.run_id ORDER BY s.number, c.run_id ${onConflict}`,
};

const refill: Statement = { name: "delivery_refill", text: "UPDATE runledger.subscriptions SET filled_to = ''" };

/** Lists runs of all tenants, so that a page is bounded even if few of them belong to the subscription's tenant. */
const fill: Statement = {
  name: "delivery_fill",
  text: `
WITH filling AS (
  SELECT number, tenant_id, starts_at, filled_to FROM runledger.subscriptions
  WHERE filled_to IS NOT NULL ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED
),
page AS (
  SELECT f.number, f.tenant_id = h.tenant_id AND (f.starts_at IS NULL OR h.persisted_at >= f.starts_at) AS is_wanted,
    h.run_id, h.head_seq
  FROM filling f CROSS JOIN LATERAL (
    SELECT run_id, tenant_id, head_seq, persisted_at FROM runledger.run_heads
    WHERE run_id > f.filled_to ORDER BY run_id LIMIT $1
  ) h
),
added AS (
  INSERT INTO runledger.deliveries AS d (number, run_id, head_seq, due_at, pending_since)
  SELECT number, run_id, head_seq, statement_timestamp(), statement_timestamp() FROM page
  WHERE is_wanted AND head_seq > 0 ORDER BY run_id ${onConflict}
)
UPDATE runledger.subscriptions s
SET filled_to = (SELECT CASE WHEN count(*) = $1 THEN max(run_id) END FROM page)
FROM filling WHERE s.number = filling.number RETURNING s.number`,
};

/** A bus that was unavailable gets one run to try. */
const claim: Statement = {
  name: "delivery_claim",
  text: `
WITH due AS (
  SELECT s.number, c.run_id FROM runledger.subscriptions s
  CROSS JOIN LATERAL (
    SELECT d.run_id FROM runledger.deliveries d
    WHERE d.number = s.number AND d.due_at <= statement_timestamp()
      AND d.delivered_seq < d.head_seq AND NOT d.is_excluded AND d.dead_at IS NULL
    ORDER BY d.due_at LIMIT CASE WHEN s.failures > 0 THEN 1 ELSE $3::integer END FOR UPDATE SKIP LOCKED
  ) c
  WHERE s.paused_at IS NULL AND (s.retry_at IS NULL OR s.retry_at <= statement_timestamp())
    AND s.number <> ALL ($4::bigint[])
)
UPDATE runledger.deliveries d SET token = $1, due_at = statement_timestamp() + $2 * interval '1 millisecond'
FROM due JOIN runledger.subscriptions s ON s.number = due.number
WHERE d.number = due.number AND d.run_id = due.run_id
RETURNING s.tenant_id, s.subscription_id, s.number, s.version, s.starts_at, d.run_id, d.delivered_seq, d.head_seq, d.attempts,
  s.failures, coalesce(s.last_delivered_at > d.failed_at, false)`,
};

/** A claim that was released without an attempt keeps the failed ones. */
const save: Statement = {
  name: "delivery_save",
  text: `
WITH outcome AS (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::text[], $7::integer[],
    $8::bigint[], $9::boolean[]) AS o (number, run_id, token, delivered_seq, is_excluded, error, attempts, retry_ms, is_dead)
),
held AS (
  SELECT d.number, d.run_id FROM runledger.deliveries d JOIN outcome o USING (number, run_id)
  WHERE d.token = o.token ORDER BY d.number, d.run_id FOR UPDATE OF d
)
UPDATE runledger.deliveries d SET token = NULL, delivered_seq = o.delivered_seq, is_excluded = o.is_excluded,
  due_at = statement_timestamp() + o.retry_ms * interval '1 millisecond',
  pending_since = CASE WHEN o.delivered_seq > d.delivered_seq THEN statement_timestamp() ELSE d.pending_since END,
  attempts = CASE WHEN o.error IS NULL AND o.delivered_seq = d.delivered_seq THEN d.attempts ELSE o.attempts END,
  error = CASE WHEN o.error IS NULL AND o.delivered_seq = d.delivered_seq THEN d.error ELSE o.error END,
  failed_at = CASE WHEN o.error IS NOT NULL THEN statement_timestamp()
    WHEN o.delivered_seq = d.delivered_seq THEN d.failed_at END,
  dead_at = CASE WHEN o.is_dead THEN statement_timestamp() END
FROM outcome o JOIN held USING (number, run_id)
WHERE d.number = o.number AND d.run_id = o.run_id`,
};

/** Skips rows that would hardly change: many processes deliver for one subscription. */
const health: Statement = {
  name: "delivery_health",
  text: `
UPDATE runledger.subscriptions s SET
  last_delivered_at = CASE WHEN h.is_accepted THEN statement_timestamp() ELSE s.last_delivered_at END,
  last_error = coalesce(h.error, s.last_error),
  last_error_at = CASE WHEN h.error IS NULL THEN s.last_error_at ELSE statement_timestamp() END,
  failures = CASE WHEN h.is_accepted THEN 0 ELSE greatest(s.failures, h.failures) END,
  retry_at = CASE WHEN h.is_accepted THEN NULL
    WHEN h.failures > 0 THEN statement_timestamp() + h.retry_ms * interval '1 millisecond' ELSE s.retry_at END
FROM unnest($1::bigint[], $2::boolean[], $3::text[], $4::integer[], $5::bigint[]) AS h (number, is_accepted, error, failures, retry_ms)
WHERE s.number = h.number AND (h.error IS NOT NULL OR s.failures > 0 OR s.last_delivered_at IS NULL
  OR s.last_delivered_at < statement_timestamp() - interval '1 second')`,
};

const sweep: Statement = {
  name: "delivery_sweep",
  text: `
DELETE FROM runledger.deliveries d USING (
  SELECT o.number, o.run_id FROM runledger.deliveries o
  WHERE NOT EXISTS (SELECT FROM runledger.subscriptions s WHERE s.number = o.number)
  ORDER BY o.number, o.run_id LIMIT 10000 FOR UPDATE SKIP LOCKED
) AS orphan
WHERE d.number = orphan.number AND d.run_id = orphan.run_id RETURNING 1`,
};

const status: Statement = {
  name: "delivery_status",
  text: `
SELECT least(due.runs + dead.runs, 10000), least(due.oldest, dead.oldest), dead.runs, s.filled_to IS NOT NULL
FROM runledger.subscriptions s
CROSS JOIN LATERAL (
  SELECT count(*) AS runs, min(pending_since) AS oldest FROM (
    SELECT pending_since FROM runledger.deliveries d
    WHERE d.number = s.number AND d.delivered_seq < d.head_seq AND NOT d.is_excluded AND d.dead_at IS NULL LIMIT 10000
  ) AS first_runs
) AS due
CROSS JOIN LATERAL (
  SELECT count(*) AS runs, min(pending_since) AS oldest FROM (
    SELECT pending_since FROM runledger.deliveries d WHERE d.number = s.number AND d.dead_at IS NOT NULL LIMIT 10000
  ) AS first_runs
) AS dead
WHERE s.tenant_id = $1 AND s.subscription_id = $2`,
};

type Deliveries = Pick<
  OutboxStore,
  | "recordChanges"
  | "refill"
  | "fillNext"
  | "claimDeliveries"
  | "saveDeliveries"
  | "sweepDeliveries"
  | "subscriptionStatus"
>;

export function deliveries(db: Database): Deliveries {
  return {
    recordChanges: (changes) => recordChanges(db, changes),
    refill: async () => void (await db.write(refill)),
    fillNext: async ({ limit }) => (await db.write(fill, [limit])).length > 0,
    claimDeliveries: async ({ token, holdMs, perSubscription, except = [] }) =>
      (await db.write(claim, [token, holdMs, perSubscription, numberArray(except)])).map((row) =>
        toClaimed(row, token),
      ),
    saveDeliveries: (outcomes) => saveDeliveries(db, outcomes),
    sweepDeliveries: async () => (await db.write(sweep)).length,
    subscriptionStatus: (name) => subscriptionStatus(db, name),
  };
}

async function recordChanges(db: Database, changes: readonly RunChange[]): Promise<void> {
  if (changes.length === 0) return;
  const heads = numberArray(changes.map(({ headSeq }) => headSeq));
  await db.write(record, [textArray(changes.map(({ runId }) => runId)), heads]);
}

async function saveDeliveries(db: Database, outcomes: readonly DeliveryOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await db.write(save, [
    numberArray(outcomes.map(({ number }) => number)),
    textArray(outcomes.map(({ runId }) => runId)),
    textArray(outcomes.map(({ token }) => token)),
    numberArray(outcomes.map(({ deliveredSeq }) => deliveredSeq)),
    outcomes.map(({ isExcluded = false }) => isExcluded),
    textArray(outcomes.map(({ failure }) => failure?.message ?? null)),
    numberArray(outcomes.map(({ failure }) => failure?.attempts ?? 0)),
    numberArray(outcomes.map(({ failure }) => failure?.retryInMs ?? 0)),
    outcomes.map(({ failure }) => failure?.isDead ?? false),
  ]);
  const notes = healthOf(outcomes);
  await db.write(health, [
    numberArray(notes.map(({ number }) => number)),
    notes.map(({ isAccepted }) => isAccepted),
    textArray(notes.map(({ error }) => error)),
    numberArray(notes.map(({ failures }) => failures)),
    numberArray(notes.map(({ retryMs }) => retryMs)),
  ]);
}

interface Health {
  readonly number: number;
  readonly isAccepted: boolean;
  readonly error: string | null;
  readonly failures: number;
  readonly retryMs: number;
}

/** One note per subscription, in the order of their numbers. */
function healthOf(outcomes: readonly DeliveryOutcome[]): Health[] {
  const notes = new Map<number, Health>();
  for (const { number, isAccepted = false, failure } of outcomes) {
    const note = notes.get(number) ?? { number, isAccepted: false, error: null, failures: 0, retryMs: 0 };
    notes.set(number, {
      number,
      isAccepted: note.isAccepted || isAccepted,
      error: failure?.message ?? note.error,
      failures: Math.max(note.failures, failure?.bus?.failures ?? 0),
      retryMs: Math.max(note.retryMs, failure?.bus?.retryInMs ?? 0),
    });
  }
  return [...notes.values()].sort((a, b) => a.number - b.number);
}

function toClaimed(row: Row, token: string): ClaimedDelivery {
  const [tenantId, subscriptionId, number, version, startsAt, runId, deliveredSeq, headSeq, attempts] = row;
  return {
    tenantId: tenantId as string,
    subscriptionId: subscriptionId as string,
    number: number as number,
    token,
    version: version as number,
    startsAt: startsAt as string | null,
    runId: runId as string,
    deliveredSeq: deliveredSeq as number,
    headSeq: headSeq as number,
    attempts: attempts as number,
    failures: row[9] as number,
    othersDelivered: row[10] as boolean,
  };
}

async function subscriptionStatus(db: Database, { tenantId, subscriptionId }: SubscriptionName) {
  const [row] = await db.read(status, [tenantId, subscriptionId]);
  if (row === undefined) return null;
  const [pendingRuns, oldestPendingAt, deadLetters, isFilling] = row as [number, string | null, number, boolean];
  return { pendingRuns, oldestPendingAt, deadLetters, isFilling };
}
