/** Pairs the steps of two runs by id, in an order that fits both runs. */
import type { StepRow } from "@runledger/contracts";
import { durationOf } from "./step-duration.js";

type Difference = "presence" | "status" | "error" | "attempts";

export function alignSteps(one: readonly StepRow[], other: readonly StepRow[]) {
  const [ofOne, ofOther] = [byId(one), byId(other)];
  return mergedIds(one, other, ofOne).map((stepId) => {
    const [left, right] = [ofOne.get(stepId), ofOther.get(stepId)];
    return { stepId, one: side(left), other: side(right), differs: differences(left, right) };
  });
}

/** Uses the order of the first run. Steps that only the second has follow the same step as there. */
function mergedIds(one: readonly StepRow[], other: readonly StepRow[], ofOne: ReadonlyMap<string, StepRow>): string[] {
  const followers = new Map<string, string[]>();
  let last = "";
  for (const { stepId } of other) {
    if (ofOne.has(stepId)) last = stepId;
    else if (followers.has(last)) followers.get(last)!.push(stepId);
    else followers.set(last, [stepId]);
  }
  return [...(followers.get("") ?? []), ...one.flatMap(({ stepId }) => [stepId, ...(followers.get(stepId) ?? [])])];
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
