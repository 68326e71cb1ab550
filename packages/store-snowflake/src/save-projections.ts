/** Saves folded headers and changed steps. */
import { randomUUID } from "node:crypto";
import type { ProjectionChange, RunHeader } from "@runledger/contracts";
import type { Call, Database } from "./client.js";
import type { Shape } from "./connection-url.js";

const lock = "UPDATE PROJECTION_LOCK SET TAKEN = TAKEN + 1";

const incoming = `
  SELECT c.VALUE:header.runId::STRING AS RUN_ID, c.VALUE:header.status::STRING AS STATUS,
    c.VALUE:header.lastEventSeq::NUMBER AS LAST_EVENT_SEQ, c.VALUE:header AS HEADER,
    c.VALUE:startedAt::TIMESTAMP_NTZ AS STARTED_AT, c.VALUE:completedAt::TIMESTAMP_NTZ AS COMPLETED_AT,
    c.VALUE:readSeq::NUMBER AS READ_SEQ, c.VALUE:generation::NUMBER AS GENERATION, c.VALUE:saved::STRING AS SAVED_BY
  FROM (SELECT PARSE_JSON(?) AS CHANGES) b, LATERAL FLATTEN(INPUT => b.CHANGES) c`;

/**
 * The update is conditional on the watermark that was read, so a projector that was stopped and resumes cannot
 * overwrite newer data (F7).
 */
const updateHeaders = `
UPDATE RUN_HEADERS SET STATUS = i.STATUS, LAST_EVENT_SEQ = i.LAST_EVENT_SEQ, HEADER = i.HEADER, STARTED_AT = i.STARTED_AT,
  COMPLETED_AT = i.COMPLETED_AT, PROJECTED_AT = SYSDATE(), VERSION = RUN_HEADERS.VERSION + 1, SAVED_BY = i.SAVED_BY
FROM (${incoming}) i
WHERE RUN_HEADERS.RUN_ID = i.RUN_ID AND RUN_HEADERS.LAST_EVENT_SEQ = i.READ_SEQ
  AND RUN_HEADERS.GENERATION = i.GENERATION`;

const makeHeaders = `
INSERT INTO RUN_HEADERS (RUN_ID, STATUS, LAST_EVENT_SEQ, HEADER, STARTED_AT, COMPLETED_AT, PROJECTED_AT, VERSION,
  GENERATION, SAVED_BY)
SELECT i.RUN_ID, i.STATUS, i.LAST_EVENT_SEQ, i.HEADER, i.STARTED_AT, i.COMPLETED_AT, SYSDATE(), 0, i.GENERATION, i.SAVED_BY
FROM (${incoming}) i
WHERE i.READ_SEQ = 0 AND NOT EXISTS (SELECT 1 FROM RUN_HEADERS h WHERE h.RUN_ID = i.RUN_ID)`;

const remember = "INSERT OVERWRITE INTO TOUCHED_RUNS (RUN_ID) SELECT RUN_ID FROM RUN_HEADERS WHERE SAVED_BY = ?";

const steps = `
  SELECT s.VALUE:runId::STRING AS RUN_ID, s.VALUE:step.ordinal::NUMBER AS ORDINAL, s.VALUE:step.stepId::STRING AS STEP_ID,
    s.VALUE:step AS STEP
  FROM (SELECT PARSE_JSON(?) AS STEPS) b, LATERAL FLATTEN(INPUT => b.STEPS) s`;

const updateSteps = `
UPDATE RUN_STEPS SET STEP = i.STEP
FROM (SELECT n.* FROM (${steps}) n JOIN TOUCHED_RUNS t ON t.RUN_ID = n.RUN_ID) i
WHERE RUN_STEPS.RUN_ID = i.RUN_ID AND RUN_STEPS.STEP_ID = i.STEP_ID`;

const makeSteps = `
INSERT INTO RUN_STEPS (RUN_ID, ORDINAL, STEP_ID, STEP)
SELECT i.RUN_ID, i.ORDINAL, i.STEP_ID, i.STEP FROM (${steps}) i JOIN TOUCHED_RUNS t ON t.RUN_ID = i.RUN_ID
WHERE NOT EXISTS (SELECT 1 FROM RUN_STEPS s WHERE s.RUN_ID = i.RUN_ID AND s.STEP_ID = i.STEP_ID)`;

/** Returns for each change whether it was stored. A run has at most one change. */
export async function saveProjections(
  db: Database,
  shape: Shape,
  changes: readonly ProjectionChange[],
): Promise<boolean[]> {
  if (changes.length === 0) return [];
  const rows = await db.transaction(calls(shape, changes), { text: "SELECT RUN_ID FROM TOUCHED_RUNS" });
  const saved = new Set(rows.map(([runId]) => runId as string));
  return changes.map(({ header }) => saved.has(header.runId));
}

function calls(shape: Shape, changes: readonly ProjectionChange[]): Call[] {
  const saved = randomUUID();
  const headers = [JSON.stringify(changes.map((change) => headerRow(change, saved)))];
  const changed = changes.flatMap((change) => change.steps.map((step) => ({ runId: change.header.runId, step })));
  const rows = [JSON.stringify(changed)];
  return [
    ...(shape === "standard" ? [{ text: lock }] : []),
    { text: updateHeaders, values: headers },
    { text: makeHeaders, values: headers },
    { text: remember, values: [saved] },
    { text: updateSteps, values: rows },
    { text: makeSteps, values: rows },
  ];
}

function headerRow({ header, readSeq, generation = 0 }: ProjectionChange, saved: string): object {
  return { header, readSeq, generation, saved, ...times(header) };
}

function times({ startedAt, completedAt }: RunHeader): object {
  return { startedAt, completedAt };
}
