/** Projections: a header row and a row per step. Only changed rows are written (F7). */
import type { Projection, RunHeader, RunSnapshot, StepRow } from "@runledger/contracts";
import { toRunSnapshot, toRunState } from "@runledger/core";
import type { Call, Database } from "./client.js";
import { fromVariant } from "./event-rows.js";

/**
 * Reads header, head and steps in one statement, because they belong together. A row per step; a run without steps has
 * one row.
 */
const whole = `
SELECT p.HEADER, h.HEAD_SEQ, s.STEP
FROM RUN_HEADERS p JOIN RUN_HEADS h ON h.RUN_ID = p.RUN_ID LEFT JOIN RUN_STEPS s ON s.RUN_ID = p.RUN_ID
WHERE p.RUN_ID = ? AND (CAST(? AS STRING) IS NULL OR h.TENANT_ID = ?)
ORDER BY s.ORDINAL`;

const asked = "(SELECT PARSE_JSON(?) AS ASKED) b, LATERAL FLATTEN(INPUT => b.ASKED) p";

/** Returns a row per stored run, and per requested step. */
const parts = `
SELECT r.PLACE, h.HEADER, h.GENERATION, s.STEP
FROM (SELECT p.VALUE:place::NUMBER AS PLACE, p.VALUE:runId::STRING AS RUN_ID FROM ${asked}) r
JOIN RUN_HEADERS h ON h.RUN_ID = r.RUN_ID
LEFT JOIN (
  SELECT p.VALUE:place::NUMBER AS PLACE, i.VALUE::STRING AS STEP_ID FROM ${asked}, LATERAL FLATTEN(INPUT => p.VALUE:stepIds) i
) w ON w.PLACE = r.PLACE
LEFT JOIN RUN_STEPS s ON s.RUN_ID = r.RUN_ID AND s.STEP_ID = w.STEP_ID
ORDER BY r.PLACE, s.ORDINAL`;

const stale = `
SELECT RUN_ID FROM RUN_HEADERS WHERE HEADER:stale::BOOLEAN AND RUN_ID > ? ORDER BY RUN_ID LIMIT ?`;

const list = "SELECT STEP FROM RUN_STEPS WHERE RUN_ID = ? AND ORDINAL > ? ORDER BY ORDINAL LIMIT ?";

export async function getSnapshot(
  db: Database,
  params: { readonly runId: string; readonly tenantId: string | undefined },
): Promise<RunSnapshot | null> {
  const { runId, tenantId = null } = params;
  const rows = await db.read({ text: whole, values: [runId, tenantId, tenantId] });
  if (rows.length === 0) return null;
  const [header, headSeq] = rows[0]!;
  const steps = rows.flatMap(([, , step]) => stepOf(step));
  const snapshot = toRunSnapshot(toRunState(fromVariant(header) as RunHeader, steps));
  return (headSeq as number) > snapshot.lastEventSeq ? Object.freeze({ ...snapshot, stale: true }) : snapshot;
}

export async function readProjections(
  db: Database,
  params: readonly { readonly runId: string; readonly stepIds: readonly string[] }[],
): Promise<(Projection | null)[]> {
  const wanted = JSON.stringify(
    params.map(({ runId, stepIds }, place) => ({ place, runId, stepIds: [...new Set(stepIds)] })),
  );
  const rows = await db.read({ text: parts, values: [wanted, wanted] });
  return params.map((_, place) => {
    const own = rows.filter((row) => row[0] === place);
    if (own.length === 0) return null;
    const [, header, generation] = own[0]!;
    const rebuilt = generation === 0 ? {} : { generation: generation as number };
    return { header: fromVariant(header) as RunHeader, steps: own.flatMap((row) => stepOf(row[3])), ...rebuilt };
  });
}

function stepOf(step: unknown): StepRow[] {
  return step === null ? [] : [fromVariant(step) as StepRow];
}

export async function listStale(
  db: Database,
  params: { readonly afterRunId: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db.read({ text: stale, values: [params.afterRunId, params.limit] });
  return rows.map(([runId]) => runId as string);
}

export async function listSteps(
  db: Database,
  params: { readonly runId: string; readonly afterOrdinal: number; readonly limit: number },
): Promise<StepRow[]> {
  const rows = await db.read({ text: list, values: [params.runId, params.afterOrdinal, params.limit] });
  return rows.flatMap(([step]) => stepOf(step));
}

export async function deleteProjection(db: Database, runId: string): Promise<void> {
  const remove = (table: string): Call => ({ text: `DELETE FROM ${table} WHERE RUN_ID = ?`, values: [runId] });
  await db.transaction([remove("RUN_HEADERS"), remove("RUN_STEPS")], { text: "SELECT 1" });
}
