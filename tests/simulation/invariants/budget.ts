/** Retries and deadlines: never more than granted, never early, and never endless. */
import type { CanonicalEngineEvent, PlanStep } from "@runledger/contracts";
import {
  dataOf,
  isResetting,
  isUndo,
  livesOf,
  names,
  isStop,
  type Attempt,
  type Judge,
  type Report,
  type Story,
} from "./story.js";

/** A failed attempt is retried as often as the plan allows, counted from an operator's reset (K4, D5). */
export const withinItsBudget: Judge = (story, report) => {
  for (const [stepId, attempts] of story.attempts) {
    attempts.forEach((attempt, place) => {
      const { end } = attempt;
      if (end?.eventType === "StepFailed") checkRetry(story, attempt, report);
      const before = attempts[place - 1];
      if (before !== undefined && !isGranted(story, stepId, before, attempt)) {
        report("within-its-budget", `${stepId} ${attempt.attempt} was not granted`);
      }
    });
  }
};

function checkRetry(story: Story, { stepId, attempt, step, end }: Attempt, report: Parameters<Judge>[1]): void {
  const { error, retryAt } = dataOf(end!) as { error: { code: string; retryable: boolean }; retryAt?: string };
  const tried = attempt - budgetFrom(story, stepId, end!) + 1;
  const { retry } = step;
  const granted =
    retry !== undefined && error.retryable && !retry.unless.includes(error.code) && tried < retry.attempts;
  if (granted !== (retryAt !== undefined)) {
    report("within-its-budget", `${stepId} ${attempt}, try ${tried} of ${retry?.attempts ?? 1}: retryAt is ${retryAt}`);
  }
}

function budgetFrom(story: Story, stepId: string, end: CanonicalEngineEvent): number {
  let [from, attempt] = [1, 1];
  for (const event of story.events) {
    if (event.runSeq > end.runSeq) break;
    if (event.stepId === stepId) attempt = Math.max(attempt, Number(event.logicalAttemptId));
    if (isResetting(event) && names(event, stepId)) from = ++attempt;
  }
  return from;
}

/** Justified by the plan's retry policy, an operator's reset, or an operator's skip of a failed step. */
function isGranted(story: Story, stepId: string, before: Attempt, after: Attempt): boolean {
  if (before.end === null) return false;
  const begins = after.start ?? after.end!;
  if (dataOf(before.end)["retryAt"] !== undefined) return true;
  if (after.start === null && dataOf(after.end!)["reason"] === "OPERATOR") return true;
  return story.events.some((event) => isBetween(event, before.end!, begins, stepId));
}

/** A reset of the step between two events. */
function isBetween(
  event: CanonicalEngineEvent,
  before: CanonicalEngineEvent,
  after: CanonicalEngineEvent,
  stepId: string,
): boolean {
  return isResetting(event) && event.runSeq > before.runSeq && event.runSeq < after.runSeq && names(event, stepId);
}

/** By the store's clock, no timed event comes early. */
export const notBeforeItsTime: Judge = (story, report) => {
  for (const [stepId, attempts] of story.attempts) {
    if (isUndo(stepId)) continue;
    attempts.forEach((attempt, place) => {
      const { start, end, step } = attempt;
      const before = attempts[place - 1]?.end ?? null;
      const retryAt = before === null ? undefined : dataOf(before)["retryAt"];
      const isReset = before !== null && story.events.some((event) => isBetween(event, before, start ?? end!, stepId));
      if (start !== null && typeof retryAt === "string" && !isReset) early(start, Date.parse(retryAt), "its retry");
      if (start !== null && end !== null) early(end, dueAt(step, start, end), "its time");
    });
  }

  function early(event: CanonicalEngineEvent, due: number | null, what: string): void {
    if (due === null || Date.parse(event.persistedAt!) >= due) return;
    const at = `${event.eventType} of ${event.stepId} at seq ${event.runSeq}`;
    report(
      "not-before-its-time",
      `${at} came at ${event.persistedAt}, before ${what} at ${new Date(due).toISOString()}`,
    );
  }
};

/** The earliest time at which this end was due; `null` if it may come at any time. */
function dueAt(step: PlanStep, start: CanonicalEngineEvent, end: CanonicalEngineEvent): number | null {
  const began = Date.parse(start.emittedAt);
  const { error, signalId } = dataOf(end) as { error?: { code: string }; signalId?: string };
  const timedOut =
    error?.code === "TIMEOUT" || (step.kind === "wait" && end.eventType === "StepCompleted" && signalId === undefined);
  if (timedOut) return began + step.timeoutMs!;
  if (step.kind !== "sleep" || end.eventType !== "StepCompleted") return null;
  const { until } = (dataOf(start)["opened"] ?? {}) as { until?: string };
  return until === undefined ? began + step.forMs! : Date.parse(until);
}

/** A run has one deadline, set at its start. It never fires early, and always fires once passed. */
export const deadlineIsKept: Judge = (story, report) => {
  for (const life of livesOf(story)) checkDeadline(story, life, report);
};

function checkDeadline({ plan, appendOf }: Story, life: readonly CanonicalEngineEvent[], report: Report): void {
  const start = life.find(({ eventType }) => eventType === "RunStarted");
  const call = life.find((event) => event.eventType === "SignalAccepted" && dataOf(event)["name"] === "DEADLINE");
  const deadlineAt = start === undefined ? undefined : (dataOf(start)["deadlineAt"] as string | undefined);
  if (start !== undefined && (plan.deadlineMs === null) !== (deadlineAt === undefined)) {
    report("deadline-is-kept", `deadlineAt is ${deadlineAt}`);
  }
  if (deadlineAt === undefined) return;
  if (call !== undefined && call.persistedAt! < deadlineAt) report("deadline-is-kept", `called at ${call.persistedAt}`);
  const stop = life.find(isStop);
  for (const event of life) {
    const begins = event.eventType === "StepStarted" && !isUndo(event.stepId!) && event.emittedAt > deadlineAt;
    const isStopped = stop !== undefined && (stop.runSeq < event.runSeq || appendOf(stop) === appendOf(event));
    if (begins && !isStopped) report("deadline-is-kept", `${event.stepId} started at ${event.emittedAt}`);
  }
}
