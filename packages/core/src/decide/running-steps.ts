/** What a step that has begun still needs, by kind. */
import { sha256Hex, type BuiltInKind, type PlanStep, type StepRow } from "@runledger/contracts";
import { isRunner, type Walk } from "./body-walk.js";
import type { Command } from "./commands.js";
import { walkForEach, walkRepeat, walkWhen } from "./containers.js";
import { append, ended, failure, later } from "./drafts.js";
import { endEarly } from "./early-end.js";
import { pathOf } from "./instance-ids.js";
import { awaitChild } from "./stopping.js";

export function walkRunning(walk: Walk, step: PlanStep, row: StepRow): void {
  const { stepId } = row;
  const ending = walk.ending.get(stepId);
  if (ending !== undefined) return endEarly(walk, row, ending);
  const attempt = Number(row.logicalAttemptId);
  if (isRunner(step.kind)) return void walk.commands.push({ type: "run", stepId, path: pathOf(stepId), attempt });
  if (step.kind !== "wait" && step.timeoutMs !== undefined) walk.commands.push(timeout(row, step.timeoutMs));
  switch (step.kind as BuiltInKind) {
    case "when":
      return walkWhen(walk, step, row, walkRunning);
    case "forEach":
      return walkForEach(walk, step, row, walkRunning);
    case "repeat":
      return walkRepeat(walk, step, row, walkRunning);
    case "wait":
      return walkWait(walk, step, row);
    case "sleep":
      return walkSleep(walk, step, row);
    case "child":
      return void walk.commands.push(awaitChild(row));
  }
}

/**
 * What has steps in it or another run behind it cannot just fail when its time is up: that is an action of the system's
 * own, on record before anything is stopped. Its id fits whatever the step's length.
 */
function timeout({ stepId, logicalAttemptId, startedAt }: StepRow, timeoutMs: number): Command {
  const attempt = `timeout-${sha256Hex(`${stepId}|${logicalAttemptId}`).slice(0, 32)}`;
  const data = { namespace: "action", name: "TIMEOUT", stepId };
  const event = { eventType: "SignalAccepted", attempt, data };
  return { type: "append", event, notBefore: later(startedAt!, timeoutMs) };
}

/** The oldest signal of the name that is still to be had: first in, first out (G1). */
function walkWait(walk: Walk, step: PlanStep, row: StepRow): void {
  const signal = walk.state.details.signals?.find(
    ({ name, signalId }) => name === step.signal && !walk.taken.has(signalId),
  );
  if (signal !== undefined) {
    const { signalId } = signal;
    walk.taken.add(signalId);
    const event = { ...ended(row, "StepCompleted", { signalId }), causedBySignalId: signalId };
    return void walk.commands.push(append(event));
  }
  if (step.timeoutMs === undefined) return;
  const onTimeout =
    step.onTimeout === "continue"
      ? ended(row, "StepCompleted", { output: null })
      : ended(row, "StepFailed", failure("TIMEOUT", `No signal ${step.signal} came in time.`));
  walk.commands.push({ type: "append", event: onTimeout, notBefore: later(row.startedAt!, step.timeoutMs) });
}

/** Until a time that its closure gave, or for as long as the plan says. */
function walkSleep(walk: Walk, step: PlanStep, row: StepRow): void {
  const notBefore = step.forMs === undefined ? row.opened!.until! : later(row.startedAt!, step.forMs);
  walk.commands.push({ type: "append", event: ended(row, "StepCompleted", { output: null }), notBefore });
}
