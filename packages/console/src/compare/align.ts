/** Two runs, step by step. */
import type { Step } from "@runledger/client";

export interface Pair {
  readonly stepId: string;
  readonly a: Step | null;
  readonly b: Step | null;
  /** What is not the same; null = nothing that matters. */
  readonly difference: Difference | null;
}

type Difference = "only in A" | "only in B" | "outcome" | "attempts" | "error";

/** In the order of A, with what only B has behind the step that it follows there. */
export function align(a: readonly Step[], b: readonly Step[]): readonly Pair[] {
  const inB = new Map(b.map((step) => [step.stepId, step]));
  const inA = new Map(a.map((step) => [step.stepId, step]));
  const behind = new Map<string | null, Step[]>();
  let last: string | null = null;
  for (const step of b) {
    if (inA.has(step.stepId)) last = step.stepId;
    else behind.set(last, [...(behind.get(last) ?? []), step]);
  }
  const extra = (after: string | null) => (behind.get(after) ?? []).map((step) => pair(null, step));
  return [...extra(null), ...a.flatMap((step) => [pair(step, inB.get(step.stepId) ?? null), ...extra(step.stepId)])];
}

function pair(a: Step | null, b: Step | null): Pair {
  return { stepId: (a ?? b)!.stepId, a, b, difference: differenceOf(a, b) };
}

function differenceOf(a: Step | null, b: Step | null): Difference | null {
  if (a === null) return "only in B";
  if (b === null) return "only in A";
  if (a.status !== b.status) return "outcome";
  if (a.error?.code !== b.error?.code) return "error";
  return a.logicalAttemptId === b.logicalAttemptId ? null : "attempts";
}

export function lengthOf(step: Step | null): number | null {
  if (step?.startedAt === undefined || step.completedAt === undefined) return null;
  return Date.parse(step.completedAt) - Date.parse(step.startedAt);
}
