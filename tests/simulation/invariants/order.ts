/** When steps may run: dependencies, forEach concurrency, pauses, cancels and compensation. */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { instanceId, UNDO } from "@runledger/core";
import {
  dataOf,
  endBefore,
  isResetting,
  isStop,
  isUndo,
  livesOf,
  RUN_ENDS,
  type Attempt,
  type Judge,
  type Story,
} from "./story.js";

/** A step starts after all of its dependencies finished, and never if one of them failed. */
export const afterItsDependencies: Judge = (story, report) => {
  for (const [stepId, attempts] of story.attempts) {
    if (isUndo(stepId) || stepId.split("/").length % 2 === 0) continue;
    for (const [place, attempt] of attempts.entries()) {
      const before = attempts[place - 1]?.end ?? null;
      const isRetry = before !== null && dataOf(before)["retryAt"] !== undefined; // the step had started correctly
      if (!isRetry) checkDependencies(story, attempt, report);
    }
  }
};

function checkDependencies(story: Story, { stepId, step, start, end }: Attempt, report: Parameters<Judge>[1]): void {
  const prefix = stepId.split("/").slice(0, -1).join("/");
  const ids = [...Object.values(step.needs), ...step.after].map((path) =>
    instanceId(path, prefix === "" ? "" : `${prefix}/`),
  );
  if (start !== null) {
    for (const id of ids) {
      const before = endBefore(story, id, start.runSeq);
      if (before === null) report("after-its-dependencies", `${stepId} started before ${id} finished`);
      else if (isFailure(story, before)) report("after-its-dependencies", `${stepId} started although ${id} failed`);
    }
    return;
  }
  if (dataOf(end!)["reason"] === "UPSTREAM_FAILED") checkSkip(story, stepId, end!, ids, report);
}

/** A step is skipped because of a dependency and records the culprit (D8). */
function checkSkip(
  story: Story,
  stepId: string,
  skip: CanonicalEngineEvent,
  ids: readonly string[],
  report: Parameters<Judge>[1],
): void {
  const culprit = dataOf(skip)["culprit"];
  if (typeof culprit !== "string") return report("skip-names-its-culprit", `${stepId} names no culprit`);
  if (endBefore(story, culprit, skip.runSeq)?.eventType !== "StepFailed") {
    report("skip-names-its-culprit", `${stepId} names ${culprit}, which had not failed`);
  }
  const because = ids.some((id) => {
    const end = endBefore(story, id, skip.runSeq);
    return end !== null && isFailure(story, end);
  });
  if (!because) report("skip-names-its-culprit", `${stepId} was skipped although nothing it needs failed`);
}

function isFailure(story: Story, end: CanonicalEngineEvent): boolean {
  const failed =
    end.eventType === "StepFailed" || (end.eventType === "StepSkipped" && dataOf(end)["culprit"] !== undefined);
  return failed && story.attempts.get(end.stepId!)![0]!.step.continueOnFailure !== true;
}

/** At most `concurrency` passes through a forEach are open at a time. */
export const withinItsPlaces: Judge = (story, report) => {
  for (const [stepId, attempts] of story.attempts) {
    const { kind, concurrency } = attempts[0]!.step;
    if (kind === "forEach" && concurrency !== undefined && !isUndo(stepId))
      checkPlaces(story, stepId, concurrency, report);
  }
};

/** A pass is open from its first event to its last, unless a reset reopens it or a skip follows its end. */
function checkPlaces(story: Story, container: string, places: number, report: Parameters<Judge>[1]): void {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const event of story.events) {
    const { stepId, runSeq } = event;
    if (isResetting(event)) return; // failed passes reopen in parallel with the others
    if (stepId === undefined || !stepId.startsWith(`${container}/`) || dataOf(event)["reason"] === "OPERATOR") continue;
    const pass = Number(stepId.slice(container.length + 1).split("/")[0]);
    if (!first.has(pass)) first.set(pass, runSeq);
    last.set(pass, runSeq);
  }
  for (const [pass, begin] of first) {
    const open = [...first].filter(([other, from]) => from <= begin && last.get(other)! > begin);
    const mine = last.get(pass)! > begin;
    if (open.length > places && mine)
      report("within-its-places", `${open.length} passes of ${container} are open at ${begin}`);
  }
}

/** No step starts while the run is paused. */
export const nothingBeginsInAPause: Judge = ({ events }, report) => {
  let paused = false;
  for (const { eventType, stepId, runSeq } of events) {
    if (eventType === "RunPaused") paused = true;
    if (eventType === "RunResumed" || eventType === "RunStarted") paused = false;
    const begins = eventType === "StepStarted" && !isUndo(stepId!);
    if (paused && begins) report("nothing-begins-in-a-pause", `${stepId} at seq ${runSeq}`);
  }
};

/** After a CANCEL or the deadline only compensation starts: every appender has seen the event (O2). */
export const nothingBeginsAfterAStop: Judge = (story, report) => {
  for (const life of livesOf(story)) {
    const stop = life.find(isStop);
    if (stop === undefined) continue;
    for (const { eventType, stepId, runSeq } of life) {
      const begins = eventType === "StepStarted" && runSeq > stop.runSeq && !isUndo(stepId!);
      if (begins) report("nothing-begins-after-a-stop", `${stepId} at ${runSeq}`);
    }
    const end = life.find(({ eventType }) => RUN_ENDS.has(eventType));
    if (end?.eventType === "RunCompleted")
      report("a-stop-is-heard", `completed at ${end.runSeq}, behind ${stop.runSeq}`);
  }
};

/** Compensation undoes exactly the completed steps that declare it, last first and one at a time (D8). */
export const backInReverse: Judge = (story, report) => {
  for (const life of livesOf(story)) {
    const [first, last] = [life[0]!.runSeq, life.at(-1)!.runSeq];
    const undos = [...story.attempts]
      .filter(([stepId]) => isUndo(stepId))
      .flatMap(([stepId, attempts]) => {
        const own = attempts.filter(({ start }) => start!.runSeq >= first && start!.runSeq <= last);
        return own.length === 0 ? [] : [{ stepId: stepId.slice(UNDO.length), own }];
      })
      .sort((a, b) => a.own[0]!.start!.runSeq - b.own[0]!.start!.runSeq);
    const end = life.find(({ eventType }) => RUN_ENDS.has(eventType));
    const wanted = life.some(isStop) && end !== undefined ? undoable(story, end.runSeq) : [];
    const order = undos.map(({ stepId }) => stepId);
    if (order.join() !== wanted.join()) report("back-in-reverse", `undone: ${order.join()}; wanted: ${wanted.join()}`);
    undos.forEach(({ stepId, own }, place) => {
      const before = undos[place - 1]?.own.at(-1)!.end;
      if (before === null || (before?.runSeq ?? 0) > own[0]!.start!.runSeq) report("one-way-back-at-a-time", stepId);
    });
  }
};

/** Completed steps with compensation, last first. */
function undoable(story: Story, seq: number): string[] {
  const found = [...story.attempts].flatMap(([stepId, attempts]) => {
    const end = endBefore(story, stepId, seq);
    const isUndoable = attempts[0]!.step.compensate === true && !isUndo(stepId) && end?.eventType === "StepCompleted";
    return isUndoable ? [{ stepId, seq: end.runSeq }] : [];
  });
  return found.sort((a, b) => b.seq - a.seq).map(({ stepId }) => stepId);
}
