/**
 * The statements of an append, in the order in which they run inside one transaction.
 *  P2  Heads are locked before anything is read, in their own statement. A statement sees the commits before its start,
 *      so the statement that finds duplicates and numbers events must start under the locks.
 *  P8  Heads are locked sorted by run.
 * There is one parameter, the batch as JSON. A second one names its runs, so that locking them does not read the
 * payloads.
 */
import type { RunAppend } from "@runledger/core/store";
import { batchJson, runsJson } from "./append-columns.js";
import type { Call } from "./client.js";
import { fencedOff } from "./lease-fence.js";
import { withoutVerdicts, withVerdicts, type VerdictClauses } from "./verdict-holds.js";

const runs = "(SELECT PARSE_JSON(?) AS RUNS) b, LATERAL FLATTEN(INPUT => b.RUNS) r";

const lockHeads = `
UPDATE RUN_HEADS SET LEASE_EPOCH = LEASE_EPOCH
WHERE RUN_ID IN (SELECT r.VALUE:runId::STRING FROM ${runs})`;

const makeHeads = `
INSERT INTO RUN_HEADS (RUN_ID, TENANT_ID, HEAD_SEQ, PERSISTED_AT, LEASE_EPOCH)
SELECT n.RUN_ID, n.TENANT_ID, 0, SYSDATE(), 0
FROM (
  SELECT r.VALUE:runId::STRING AS RUN_ID, r.VALUE:tenantId::STRING AS TENANT_ID, r.VALUE:mustExist::BOOLEAN AS MUST_EXIST
  FROM ${runs}
) n
WHERE NOT n.MUST_EXIST AND NOT EXISTS (SELECT 1 FROM RUN_HEADS h WHERE h.RUN_ID = n.RUN_ID)
ORDER BY n.RUN_ID`;

export const envelopeColumns = [
  ["EVENT_ID", "eventId"],
  ["STEP_ID", "stepId"],
  ["ENGINE_ATTEMPT_ID", "engineAttemptId"],
  ["LOGICAL_ATTEMPT_ID", "logicalAttemptId"],
  ["EVENT_TYPE", "eventType"],
  ["IDEMPOTENCY_KEY", "idempotencyKey"],
  ["CAUSED_BY_SIGNAL_ID", "causedBySignalId"],
  ["PARENT_EVENT_ID", "parentEventId"],
  ["ADAPTER_VERSION", "adapterVersion"],
  ["PLAN_ID", "planId"],
  ["PLAN_VERSION", "planVersion"],
] as const;
const texts = envelopeColumns.map(([column]) => column).join(", ");

const judge = (verdicts: VerdictClauses): string => `
INSERT OVERWRITE INTO APPEND_BATCH (ORD, PART, RUN_ID, IS_NEW, RUN_SEQ, REFUSAL, OLD_HEAD, EPOCH, STORED_DATA, EVENT_DATA,
  ENGINE_RUN_REF, EMITTED_AT, PERSISTED_AT, CHECKPOINT, ${texts})
WITH INCOMING AS (
  SELECT e.VALUE:ord::NUMBER AS ORD, p.VALUE:part.place::NUMBER AS PART,
    p.VALUE:part.runId::STRING AS RUN_ID, p.VALUE:part.tenantId::STRING AS TENANT_ID,
    p.VALUE:part.expectedSeq::NUMBER AS EXPECTED_SEQ, p.VALUE:part.fence::NUMBER AS FENCE,
    p.VALUE:part.needsFence::BOOLEAN AS NEEDS_FENCE, p.VALUE:part.scoped::BOOLEAN AS SCOPED,
    p.VALUE:part.checkpoint AS CHECKPOINT,${verdicts.columns}
    ${envelopeColumns.map(([column, field]) => `e.VALUE:envelope.${field}::STRING AS ${column}`).join(", ")},
    e.VALUE:envelope.emittedAt::TIMESTAMP_NTZ AS EMITTED_AT, e.VALUE:data AS EVENT_DATA, e.VALUE:ref AS ENGINE_RUN_REF
  FROM (SELECT PARSE_JSON(?) AS BATCH) b, LATERAL FLATTEN(INPUT => b.BATCH) p,
    LATERAL FLATTEN(INPUT => p.VALUE:events) e
),
STORED AS (
  SELECT l.RUN_ID, l.IDEMPOTENCY_KEY, l.RUN_SEQ, l.EVENT_DATA
  FROM RUN_EVENTS l JOIN INCOMING i ON i.RUN_ID = l.RUN_ID AND i.IDEMPOTENCY_KEY = l.IDEMPOTENCY_KEY
  UNION
  SELECT a.RUN_ID, a.IDEMPOTENCY_KEY, a.RUN_SEQ, a.EVENT_DATA
  FROM RUN_EVENTS_ARCHIVE a JOIN INCOMING i ON i.RUN_ID = a.RUN_ID AND i.IDEMPOTENCY_KEY = a.IDEMPOTENCY_KEY
),${verdicts.changed}
COMPARED AS (
  SELECT i.*, h.HEAD_SEQ AS OLD_HEAD, h.LEASE_EPOCH AS EPOCH, GREATEST(h.PERSISTED_AT, SYSDATE()) AS PERSISTED_AT,
    s.RUN_SEQ AS STORED_SEQ, s.EVENT_DATA AS STORED_DATA,
    CASE
      WHEN h.RUN_ID IS NULL OR (i.SCOPED AND h.TENANT_ID <> i.TENANT_ID) THEN 'RUN_NOT_FOUND'
      WHEN h.ARCHIVED_AT IS NOT NULL THEN 'RUN_ARCHIVED'
      WHEN ${fencedOff} THEN 'STALE_LEASE'
      WHEN i.EXPECTED_SEQ <> h.HEAD_SEQ THEN 'SEQ_MISMATCH'${verdicts.isChanged}
    END AS VERDICT
  FROM INCOMING i
  LEFT JOIN RUN_HEADS h ON h.RUN_ID = i.RUN_ID
  LEFT JOIN STORED s ON s.RUN_ID = i.RUN_ID AND s.IDEMPOTENCY_KEY = i.IDEMPOTENCY_KEY${verdicts.join}
),
JUDGED AS (
  SELECT c.*,
    -- A stored event is returned even if the conditions fail: a retry after a lost response must find its event.
    CASE WHEN c.VERDICT = 'RUN_NOT_FOUND' OR MAX(CASE WHEN c.STORED_SEQ IS NULL THEN 1 ELSE 0 END) OVER (PARTITION BY c.PART) = 1
      THEN ${verdicts.refusal} END AS REFUSAL,
    MIN(c.ORD) OVER (PARTITION BY c.RUN_ID, c.IDEMPOTENCY_KEY) AS FIRST_ORD
  FROM COMPARED c
),
NUMBERED AS (
  SELECT j.*, j.STORED_SEQ IS NULL AND j.ORD = j.FIRST_ORD AND j.REFUSAL IS NULL AS IS_NEW,
    j.OLD_HEAD + SUM(CASE WHEN j.STORED_SEQ IS NULL AND j.ORD = j.FIRST_ORD AND j.REFUSAL IS NULL THEN 1 ELSE 0 END)
      OVER (PARTITION BY j.RUN_ID ORDER BY j.ORD ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS COUNTED
  FROM JUDGED j
)
SELECT n.ORD, n.PART, n.RUN_ID, n.IS_NEW,
  COALESCE(n.STORED_SEQ, MIN(n.COUNTED) OVER (PARTITION BY n.RUN_ID, n.IDEMPOTENCY_KEY)), n.REFUSAL, n.OLD_HEAD, n.EPOCH,
  n.STORED_DATA, n.EVENT_DATA, n.ENGINE_RUN_REF, n.EMITTED_AT, n.PERSISTED_AT, n.CHECKPOINT,
  ${envelopeColumns.map(([column]) => `n.${column}`).join(", ")}
FROM NUMBERED n`;

const judgeEvents = judge(withoutVerdicts);
const judgeSignals = judge(withVerdicts);

const storeEvents = `
INSERT INTO RUN_EVENTS (RUN_ID, RUN_SEQ, EVENT_DATA, ENGINE_RUN_REF, EMITTED_AT, PERSISTED_AT, ${texts})
SELECT RUN_ID, RUN_SEQ, EVENT_DATA, ENGINE_RUN_REF, EMITTED_AT, PERSISTED_AT, ${texts}
FROM APPEND_BATCH WHERE IS_NEW ORDER BY RUN_ID, RUN_SEQ`;

const advanceHeads = `
UPDATE RUN_HEADS SET HEAD_SEQ = n.HEAD, PERSISTED_AT = n.PERSISTED_AT
FROM (
  SELECT RUN_ID, MAX(RUN_SEQ) AS HEAD, MAX(PERSISTED_AT) AS PERSISTED_AT FROM APPEND_BATCH WHERE IS_NEW GROUP BY RUN_ID
) n
WHERE RUN_HEADS.RUN_ID = n.RUN_ID`;

/** C2: a checkpoint above the head before its append is not saved, and a call that writes no event saves none. */
const savedCheckpoints = `
  SELECT RUN_ID, CHECKPOINT:seq::NUMBER AS SEQ, CHECKPOINT:format::NUMBER AS FORMAT, CHECKPOINT:data::STRING AS DATA,
    CHECKPOINT:checksum::STRING AS CHECKSUM
  FROM APPEND_BATCH WHERE IS_NEW AND CHECKPOINT:seq::NUMBER <= OLD_HEAD
  QUALIFY ROW_NUMBER() OVER (PARTITION BY RUN_ID ORDER BY ORD) = 1`;

const replaceCheckpoints = `
UPDATE CHECKPOINTS SET SEQ = n.SEQ, FORMAT = n.FORMAT, DATA = n.DATA, CHECKSUM = n.CHECKSUM
FROM (${savedCheckpoints}) n
WHERE CHECKPOINTS.RUN_ID = n.RUN_ID AND CHECKPOINTS.SEQ < n.SEQ`;

const makeCheckpoints = `
INSERT INTO CHECKPOINTS (RUN_ID, SEQ, FORMAT, DATA, CHECKSUM)
SELECT n.RUN_ID, n.SEQ, n.FORMAT, n.DATA, n.CHECKSUM FROM (${savedCheckpoints}) n
WHERE NOT EXISTS (SELECT 1 FROM CHECKPOINTS c WHERE c.RUN_ID = n.RUN_ID)`;

/** Includes the stored payload of a duplicate, so that a conflict can be reported (K5). */
export const appendAnswer: Call = {
  text: `
SELECT RUN_SEQ, IS_NEW, REFUSAL, OLD_HEAD, EPOCH, CASE WHEN NOT IS_NEW THEN TO_JSON(STORED_DATA) END, STORED_DATA IS NULL
FROM APPEND_BATCH ORDER BY ORD`,
};

/** On standard tables `appendLock` comes first. */
export function appendCalls(parts: readonly RunAppend[]): Call[] {
  const ids = [runsJson(parts)];
  const checkpoints = parts.some(({ checkpoint }) => checkpoint !== null);
  const hasVerdicts = parts.some(({ judgedAt }) => judgedAt !== null);
  return [
    { text: lockHeads, values: ids },
    { text: makeHeads, values: ids },
    { text: hasVerdicts ? judgeSignals : judgeEvents, values: [batchJson(parts)] },
    { text: storeEvents },
    { text: advanceHeads },
    ...(checkpoints ? [{ text: replaceCheckpoints }, { text: makeCheckpoints }] : []),
  ];
}
