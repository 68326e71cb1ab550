/** The life cycle of runs, steps and attempts. */
import { isSignal } from "@runledger/contracts";
import {
  containerOf,
  dataOf,
  endBefore,
  ENDS,
  isUndo,
  livesOf,
  RUN_ENDS,
  type Attempt,
  type Judge,
  type Story,
} from "./story.js";

/** A run finishes once unless it is reopened; only signals follow its end. */
export const runEndsOnce: Judge = (story, report) => {
  for (const life of livesOf(story)) {
    const end = life.findIndex(({ eventType }) => RUN_ENDS.has(eventType));
    if (end < 0) report("run-ends", "the run has no end");
    else {
      const behind = life.slice(end + 1).filter(({ eventType }) => !isSignal(eventType));
      for (const { eventType, runSeq } of behind) report("nothing-after-the-end", `${eventType} at seq ${runSeq}`);
    }
  }
};

/** Each attempt starts once and finishes once, and the next one starts after that. */
export const attemptsInOrder: Judge = (story, report) => {
  const seen = new Set<string>();
  for (const { eventType, stepId, logicalAttemptId, runSeq } of story.events) {
    if (eventType !== "StepStarted" && !ENDS.has(eventType)) continue;
    const what = eventType === "StepStarted" ? "start" : "end";
    const name = `${what} of ${stepId} ${logicalAttemptId}`;
    if (seen.has(name)) report("recorded-once", `a second ${name} at seq ${runSeq}`);
    seen.add(name);
  }
  for (const attempts of story.attempts.values()) attempts.forEach((each, place) => follows(each, attempts[place - 1]));

  function follows(attempt: Attempt, before: Attempt | undefined): void {
    const { stepId, start, end } = attempt;
    if (start !== null && end !== null && end.runSeq < start.runSeq) report("start-before-end", stepId);
    if (start === null && end!.eventType !== "StepSkipped") report("start-before-end", `${stepId} never started`);
    if (before === undefined) return;
    if (before.attempt >= attempt.attempt) report("attempts-rise", `${stepId} ${attempt.attempt}`);
    const begins = (start ?? end)!.runSeq;
    if (before.end === null || before.end.runSeq > begins)
      report("attempts-rise", `${stepId} ${before.attempt} is open`);
  }
};

/** Every started step is finished when the run is. */
export const nothingLeftOpen: Judge = (story, report) => {
  for (const attempts of story.attempts.values()) {
    const last = attempts.at(-1)!;
    if (last.end === null) report("ends-with-its-run", `${last.stepId} ${last.attempt} never finished`);
  }
};

/** Steps in a container start and finish while the container is open. */
export const insideItsContainer: Judge = (story, report) => {
  for (const attempts of story.attempts.values()) {
    for (const each of attempts) if (!isUndo(each.stepId)) checkInside(story, each, report);
  }
};

function checkInside(story: Story, { stepId, start, end }: Attempt, report: Parameters<Judge>[1]): void {
  const container = containerOf(stepId);
  if (container === null || start === null) return;
  const around = story.attempts.get(container) ?? [];
  const isInside = around.some(
    (each) =>
      each.start !== null &&
      each.start.runSeq < start.runSeq &&
      (each.end === null || (end !== null && end.runSeq < each.end.runSeq)),
  );
  if (!isInside) report("inside-its-container", `${stepId} is not inside ${container}`);
}

/** K2: run-level events of one type are numbered from 1. */
export const numberedByType: Judge = ({ events }, report) => {
  const counts = new Map<string, number>();
  for (const { eventType, stepId, logicalAttemptId, runSeq } of events) {
    if (stepId !== undefined || isSignal(eventType)) continue;
    const count = (counts.get(eventType) ?? 0) + 1;
    counts.set(eventType, count);
    if (logicalAttemptId !== String(count)) report("K2", `${eventType} at seq ${runSeq} is ${logicalAttemptId}`);
  }
};

/** A run or container fails because of a failed step that was not reset or skipped since. */
export const culpritFailed: Judge = (story, report) => {
  for (const event of story.events) {
    const { culprit } = dataOf(event);
    if ((event.eventType !== "RunFailed" && event.eventType !== "StepFailed") || typeof culprit !== "string") continue;
    const end = endBefore(story, culprit, event.runSeq);
    if (end?.eventType !== "StepFailed") report("culprit-failed", `${culprit}, named at ${event.runSeq}, has not`);
  }
};

/** A completed run has no finally failed step, except where the plan allows it. */
export const endFits: Judge = (story, report) => {
  const end = story.events.findLast(({ eventType }) => RUN_ENDS.has(eventType));
  if (end?.eventType !== "RunCompleted") return;
  for (const step of story.plan.body.steps) {
    const last = story.attempts.get(step.id)?.at(-1)?.end;
    const failed =
      last?.eventType === "StepFailed" || (last?.eventType === "StepSkipped" && culpritOf(last) !== undefined);
    if (last === undefined || last === null) report("completed-means-done", `${step.id} is not finished`);
    else if (failed && step.continueOnFailure !== true) report("completed-means-done", `${step.id} failed`);
  }
};

function culpritOf(event: { readonly eventData: unknown }): unknown {
  return (event.eventData as Readonly<Record<string, unknown>>)["culprit"];
}
