/** The steps of two runs, those of the same name beside each other, in an order that both can be read in. */
import type { StepRow } from "@runledger/contracts";
import { durationOf } from "../workflows/history.js";

type Difference = "presence" | "status" | "error" | "attempts";

export function alignSteps(one: readonly StepRow[], other: readonly StepRow[]) {
  const [here, there] = [byId(one), byId(other)];
  return mergedIds(one, other, here).map((stepId) => {
    const [left, right] = [here.get(stepId), there.get(stepId)];
    return { stepId, one: side(left), other: side(right), differs: differences(left, right) };
  });
}

/** The first run's order; what only the second has comes behind what it comes behind there. */
function mergedIds(one: readonly StepRow[], other: readonly StepRow[], here: ReadonlyMap<string, StepRow>): string[] {
  const behind = new Map<string, string[]>();
  let last = "";
  for (const { stepId } of other) {
    if (here.has(stepId)) last = stepId;
    else if (behind.has(last)) behind.get(last)!.push(stepId);
    else behind.set(last, [stepId]);
  }
  return [...(behind.get("") ?? []), ...one.flatMap(({ stepId }) => [stepId, ...(behind.get(stepId) ?? [])])];
}

function byId(rows: readonly StepRow[]): ReadonlyMap<string, StepRow> {
  return new Map(rows.map((row) => [row.stepId, row]));
}

function side(row: StepRow | undefined) {
  if (row === undefined) return null;
  const { status, logicalAttemptId: attempts, error } = row;
  return { status, durationMs: durationOf(row), attempts, ...(error && { errorCode: error.code }) };
}

function differences(one: StepRow | undefined, other: StepRow | undefined): Difference[] {
  if (one === undefined || other === undefined) return ["presence"];
  return [
    ...(one.status === other.status ? [] : (["status"] as const)),
    ...(one.error?.code === other.error?.code ? [] : (["error"] as const)),
    ...(one.logicalAttemptId === other.logicalAttemptId ? [] : (["attempts"] as const)),
  ];
}
