/** Decides what a running step still needs, by kind. */
import { sha256Hex, type BuiltInKind, type PlanStep, type StepRow } from "@runledger/contracts";
import { formatDuration } from "../duration.js";
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
 * A container or a child run cannot just fail when it times out. The timeout is recorded as an action of the system
 * before anything is stopped. The hash keeps the action's id short for steps with long ids.
 */
function timeout({ stepId, logicalAttemptId, startedAt }: StepRow, timeoutMs: number): Command {
  const attempt = `timeout-${sha256Hex(`${stepId}|${logicalAttemptId}`).slice(0, 32)}`;
  const data = { namespace: "action", name: "TIMEOUT", stepId };
  const event = { eventType: "SignalAccepted", attempt, data };
  return { type: "append", event, notBefore: later(startedAt!, timeoutMs) };
}

/** Consumes the oldest unassigned signal of the name: first in, first out (G1). */
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
      : ended(row, "StepFailed", failure("TIMEOUT", signalMessage(step.signal!, step.timeoutMs)));
  walk.commands.push({ type: "append", event: onTimeout, notBefore: later(row.startedAt!, step.timeoutMs) });
}

function signalMessage(signal: string, timeoutMs: number): string {
  return `Signal ${signal} did not arrive within ${formatDuration(timeoutMs)}. Send it earlier or raise "timeout".`;
}

/** Sleeps until the time that its closure returned, or for the duration in the plan. */
function walkSleep(walk: Walk, step: PlanStep, row: StepRow): void {
  const notBefore = step.forMs === undefined ? row.opened!.until! : later(row.startedAt!, step.forMs);
  walk.commands.push({ type: "append", event: ended(row, "StepCompleted", { output: null }), notBefore });
}
