/** Writes runs that another store has recorded, unchanged, in one request like an append. */
import { SeqMismatchError, StopError } from "@runledger/contracts";
import type { CheckedCopy, CopiedEvent } from "@runledger/core/store";
import type { Call } from "./client.js";
import { compareIds } from "./append-columns.js";
import { envelopeColumns } from "./append-slow.js";
import type { Write } from "./locked-writes.js";

const incoming = `
  SELECT c.VALUE:runId::STRING AS RUN_ID, c.VALUE:tenantId::STRING AS TENANT_ID, c.VALUE:afterSeq::NUMBER AS AFTER_SEQ,
    c.VALUE:headSeq::NUMBER AS HEAD_SEQ, c.VALUE:persistedAt::TIMESTAMP_NTZ AS PERSISTED_AT
  FROM (SELECT PARSE_JSON(?) AS RUNS) b, LATERAL FLATTEN(INPUT => b.RUNS) c`;

const lockHeads = `
UPDATE RUN_HEADS SET LEASE_EPOCH = LEASE_EPOCH WHERE RUN_ID IN (SELECT i.RUN_ID FROM (${incoming}) i)`;

const makeHeads = `
INSERT INTO RUN_HEADS (RUN_ID, TENANT_ID, HEAD_SEQ, PERSISTED_AT, LEASE_EPOCH)
SELECT i.RUN_ID, i.TENANT_ID, 0, i.PERSISTED_AT, 0 FROM (${incoming}) i
WHERE i.AFTER_SEQ = 0 AND NOT EXISTS (SELECT 1 FROM RUN_HEADS h WHERE h.RUN_ID = i.RUN_ID)
ORDER BY i.RUN_ID`;

/** The runs that fit, if all do. A single run that does not fit leaves nothing to write. */
const judge = `
INSERT OVERWRITE INTO TOUCHED_RUNS (RUN_ID)
WITH ASKED AS (${incoming}),
FITTING AS (
  SELECT a.RUN_ID FROM ASKED a JOIN RUN_HEADS h ON h.RUN_ID = a.RUN_ID
  WHERE h.HEAD_SEQ = a.AFTER_SEQ AND h.TENANT_ID = a.TENANT_ID AND h.ARCHIVED_AT IS NULL
)
SELECT f.RUN_ID FROM FITTING f WHERE (SELECT COUNT(*) FROM FITTING) = (SELECT COUNT(*) FROM ASKED)`;

const store = `
INSERT INTO RUN_EVENTS (RUN_ID, RUN_SEQ, EVENT_DATA, ENGINE_RUN_REF, EMITTED_AT, PERSISTED_AT,
  ${envelopeColumns.map(([column]) => column).join(", ")})
SELECT e.VALUE:runId::STRING, e.VALUE:runSeq::NUMBER, e.VALUE:data, e.VALUE:ref,
  e.VALUE:envelope.emittedAt::TIMESTAMP_NTZ, e.VALUE:persistedAt::TIMESTAMP_NTZ,
  ${envelopeColumns.map(([, field]) => `e.VALUE:envelope.${field}::STRING`).join(", ")}
FROM (SELECT PARSE_JSON(?) AS EVENTS) b, LATERAL FLATTEN(INPUT => b.EVENTS) e
WHERE e.VALUE:runId::STRING IN (SELECT RUN_ID FROM TOUCHED_RUNS)`;

const advance = `
UPDATE RUN_HEADS SET HEAD_SEQ = i.HEAD_SEQ, PERSISTED_AT = i.PERSISTED_AT
FROM (SELECT n.* FROM (${incoming}) n JOIN TOUCHED_RUNS t ON t.RUN_ID = n.RUN_ID) i
WHERE RUN_HEADS.RUN_ID = i.RUN_ID`;

const answer = `
SELECT a.RUN_ID, COALESCE(h.HEAD_SEQ, 0), h.TENANT_ID, t.RUN_ID IS NOT NULL
FROM (${incoming}) a LEFT JOIN RUN_HEADS h ON h.RUN_ID = a.RUN_ID LEFT JOIN TOUCHED_RUNS t ON t.RUN_ID = a.RUN_ID`;

export async function writeCopies(write: Write, copies: readonly CheckedCopy[]): Promise<void> {
  const runs = [runsJson(copies)];
  const rows = await write(calls(copies, runs), { text: answer, values: runs });
  const heads = new Map(rows.map((row) => [row[0] as string, row] as const));
  if (rows.every((row) => row[3] === true)) return;
  for (const { runId, tenantId, afterSeq } of copies) {
    const [, headSeq, owner] = heads.get(runId)! as unknown as [string, number, string | null];
    if (owner !== null && owner !== tenantId)
      throw new StopError(
        "COPY_MISMATCH",
        `Run ${runId} belongs to tenant ${owner} here, but to ${tenantId} in the copy. Copy it into another store.`,
      );
    if (headSeq !== afterSeq) throw new SeqMismatchError(runId, afterSeq, headSeq);
  }
  throw new StopError(
    "COPY_MISMATCH",
    "A run of the copy is archived here and accepts no more events. Copy it into another store.",
  );
}

function calls(copies: readonly CheckedCopy[], runs: readonly string[]): Call[] {
  return [
    { text: lockHeads, values: runs },
    { text: makeHeads, values: runs },
    { text: judge, values: runs },
    { text: store, values: [eventsJson(copies)] },
    { text: advance, values: runs },
  ];
}

function runsJson(copies: readonly CheckedCopy[]): string {
  const rows = copies.map(({ runId, tenantId, afterSeq, events }) => {
    const { runSeq: headSeq, persistedAt } = events.at(-1)!;
    return { runId, tenantId, afterSeq, headSeq, persistedAt };
  });
  return JSON.stringify(rows.sort((a, b) => compareIds(a.runId, b.runId)));
}

function eventsJson(copies: readonly CheckedCopy[]): string {
  return `[${copies.flatMap(({ runId, events }) => events.map((event) => eventJson(runId, event))).join(",")}]`;
}

function eventJson(runId: string, { event, dataJson, refJson, runSeq, persistedAt }: CopiedEvent): string {
  const { eventData: _, engineRunRef: __, ...envelope } = event;
  const place = JSON.stringify({ runId, runSeq, persistedAt, envelope }).slice(0, -1);
  return `${place},"data":${dataJson}${refJson === null ? "" : `,"ref":${refJson}`}}`;
}
