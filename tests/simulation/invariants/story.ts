/** One run as recorded in its log, prepared for the invariants. It does not use the engine's own fold. */
import type { CanonicalEngineEvent, JsonObject, Plan, PlanStep } from "@runledger/contracts";
import { indexPlan, pathOf, UNDO } from "@runledger/core";

export interface Attempt {
  readonly stepId: string;
  readonly attempt: number;
  readonly step: PlanStep;
  readonly start: CanonicalEngineEvent | null;
  /** StepCompleted, StepFailed or StepSkipped. */
  readonly end: CanonicalEngineEvent | null;
}

export interface Story {
  readonly runId: string;
  readonly plan: Plan;
  readonly events: readonly CanonicalEngineEvent[];
  /** Per step, ascending. */
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>;
  /** Identifies the append that wrote an event; equal for events of one append. */
  readonly appendOf: (event: CanonicalEngineEvent) => number;
}

export type Report = (invariant: string, message: string) => void;
export type Judge = (story: Story, report: Report) => void;

export const ENDS = new Set(["StepCompleted", "StepFailed", "StepSkipped"]);
export const RUN_ENDS = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);

export function storyOf(
  runId: string,
  plan: Plan,
  events: readonly CanonicalEngineEvent[],
  appendOf: Story["appendOf"],
): Story {
  return { runId, plan, events, attempts: attemptsOf(plan, events), appendOf };
}

function attemptsOf(plan: Plan, events: readonly CanonicalEngineEvent[]): ReadonlyMap<string, readonly Attempt[]> {
  const found = new Map<string, Attempt[]>();
  for (const event of events) {
    const { stepId, eventType } = event;
    if (stepId === undefined || (eventType !== "StepStarted" && !ENDS.has(eventType))) continue;
    const attempts = found.get(stepId) ?? [];
    found.set(stepId, attempts);
    const attempt = Number(event.logicalAttemptId);
    const place = attempts.findIndex((each) => each.attempt === attempt);
    const known = attempts[place] ?? { stepId, attempt, step: stepOf(plan, stepId), start: null, end: null };
    const next =
      eventType === "StepStarted" ? { ...known, start: known.start ?? event } : { ...known, end: known.end ?? event };
    if (place < 0) attempts.push(next);
    else attempts[place] = next;
  }
  return found;
}

export function stepOf(plan: Plan, stepId: string): PlanStep {
  return indexPlan(plan).get(pathOf(stepId.replace(UNDO, "")))!;
}

export function dataOf(event: CanonicalEngineEvent): JsonObject {
  return event.eventData as JsonObject;
}

/** How and at which seq a step finally finished before `seq`; `null` if it had not. */
export function endBefore(story: Story, stepId: string, seq: number): CanonicalEngineEvent | null {
  const last = story.attempts.get(stepId)?.findLast(({ start, end }) => (start ?? end)!.runSeq < seq);
  const end = last?.end ?? null;
  if (end === null || end.runSeq >= seq || dataOf(end)["retryAt"] !== undefined) return null;
  return isReset(story, stepId, end.runSeq, seq) ? null : end;
}

/** `true` if a reset between two seqs revokes an end. */
export function isReset(story: Story, stepId: string, from: number, to: number): boolean {
  return story.events.some(
    (event) => isResetting(event) && event.runSeq > from && event.runSeq < to && names(event, stepId),
  );
}

/** K4: an operator's retry of an open or a finished run. */
export function isResetting({ eventType }: CanonicalEngineEvent): boolean {
  return eventType === "StepsReset" || eventType === "RunReopened";
}

export function names(reset: CanonicalEngineEvent, stepId: string): boolean {
  const steps = dataOf(reset)["steps"] as readonly (string | Readonly<Record<string, string | number>>)[];
  return steps.some((range) => {
    if (typeof range === "string") return range === stepId;
    const { container, from, to, step } = range;
    const match = /^(.+)\/(\d+)\/([^/]+)$/.exec(stepId);
    return match !== null && match[1] === container && match[3] === step && +match[2]! >= +from! && +match[2]! <= +to!;
  });
}

export function isUndo(stepId: string): boolean {
  return stepId.startsWith(UNDO);
}

/** The stretches of a run: from its start or a reopening to the next reopening. */
export function livesOf({ events }: Story): readonly (readonly CanonicalEngineEvent[])[] {
  const lives: CanonicalEngineEvent[][] = [[]];
  for (const event of events) {
    if (event.eventType === "RunReopened") lives.push([]);
    lives.at(-1)!.push(event);
  }
  return lives;
}

/** The containers of a step: `a/0/b/1/c` is in `a/0/b` and `a`; a pass of a repeat is in the repeat. */
export function containerOf(stepId: string): string | null {
  const parts = stepId.split("/");
  if (parts.length === 1) return null;
  return parts.slice(0, parts.length % 2 === 0 ? -1 : -2).join("/");
}

/** A CANCEL or deadline while the run was open. */
export function isStop(event: CanonicalEngineEvent, place: number, life: readonly CanonicalEngineEvent[]): boolean {
  if (event.eventType !== "SignalAccepted") return false;
  const { namespace, name } = dataOf(event);
  if (namespace !== "action" || (name !== "CANCEL" && name !== "DEADLINE")) return false;
  return !life.slice(0, place).some(({ eventType }) => RUN_ENDS.has(eventType));
}
