/** What a step that has begun still needs, by kind. */
import type { BuiltInKind, JsonObject, PlanStep, StepRow } from "@runledger/contracts";
import { isRunner, walkBody, type Standing, type Walk } from "./body-walk.js";
import type { EventDraft } from "./commands.js";
import { instanceId, pathOf, prefixOf } from "./instance-ids.js";

export function walkRunning(walk: Walk, step: PlanStep, row: StepRow): void {
  const attempt = Number(row.logicalAttemptId);
  if (isRunner(step.kind))
    return void walk.commands.push({ type: "run", stepId: row.stepId, path: pathOf(row.stepId), attempt });
  switch (step.kind as BuiltInKind) {
    case "when":
      return walkWhen(walk, step, row);
    case "forEach":
      return walkForEach(walk, step, row);
    case "repeat":
      return walkRepeat(walk, step, row);
    case "wait":
      return walkWait(walk, step, row);
    case "sleep":
      return walkSleep(walk, step, row);
    case "child":
      walk.commands.push({ type: "awaitChild", stepId: row.stepId, attempt, childRunId: row.opened?.childRunId ?? "" });
  }
}

function walkWhen(walk: Walk, step: PlanStep, row: StepRow): void {
  const branch = row.opened?.branch ?? 0;
  const body = step.bodies?.[branch];
  if (body === undefined) return end(walk, row, "StepCompleted", { output: null });
  const prefix = prefixOf(row.stepId, branch);
  const standing = walkBody(walk, body, prefix, walkRunning);
  if (standing.done) endContainer(walk, row, standing, outputOf(body.output, prefix));
}

/** At most `concurrency` passes are open at a time; the next one begins when one is done. */
function walkForEach(walk: Walk, step: PlanStep, row: StepRow): void {
  const { count = 0 } = row.opened ?? {};
  const places = step.concurrency ?? count;
  let [open, culprit]: [number, string | null] = [0, null];
  for (let index = 0; index < count && open < places; index++) {
    const standing = walkBody(walk, step.bodies![0]!, prefixOf(row.stepId, index), walkRunning);
    if (!standing.done) open++;
    else culprit ??= standing.culprit;
  }
  if (open === 0) endContainer(walk, row, { done: true, culprit }, {});
}

/** Each pass is a step `container/index` of its own; how it ends says whether there is another (D1). */
function walkRepeat(walk: Walk, step: PlanStep, row: StepRow): void {
  let before: StepRow | null = null;
  for (let iteration = 0; iteration < step.max!; iteration++) {
    const pass = walk.state.steps.get(`${row.stepId}/${iteration}`);
    if (pass === undefined) return beginPass(walk, step, `${row.stepId}/${iteration}`, before);
    if (pass.status === "RUNNING") return walkPass(walk, step, row, iteration);
    if (pass.status === "FAILED") return endContainer(walk, row, { done: true, culprit: pass.stepId }, {});
    if (pass.again !== true) {
      const output = outputOf(step.bodies![0]!.output, prefixOf(row.stepId, iteration));
      return endContainer(walk, row, { done: true, culprit: null }, output);
    }
    before = pass;
  }
  end(walk, row, "StepFailed", failure("REPEAT_EXHAUSTED", `${step.max} passes were not enough.`));
}

function beginPass(walk: Walk, step: PlanStep, stepId: string, before: StepRow | null): void {
  if (!walk.mayStart) return;
  const delay = before === null ? {} : { notBefore: later(before.completedAt!, step.delayMs ?? 0) };
  walk.commands.push({ type: "append", event: { eventType: "StepStarted", stepId, attempt: 1 }, ...delay });
}

function walkPass(walk: Walk, step: PlanStep, row: StepRow, iteration: number): void {
  const standing = walkBody(walk, step.bodies![0]!, prefixOf(row.stepId, iteration), walkRunning);
  if (!standing.done) return;
  if (standing.culprit !== null) return endContainer(walk, row, standing, {});
  walk.commands.push({ type: "askAgain", stepId: row.stepId, path: pathOf(row.stepId), iteration });
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
    return void walk.commands.push({ type: "append", event });
  }
  if (step.timeoutMs === undefined) return;
  const onTimeout =
    step.onTimeout === "continue"
      ? ended(row, "StepCompleted", { output: null })
      : ended(row, "StepFailed", failure("TIMEOUT", `No signal ${step.signal} came in time.`));
  walk.commands.push({ type: "append", event: onTimeout, notBefore: later(row.startedAt!, step.timeoutMs) });
}

function walkSleep(walk: Walk, step: PlanStep, row: StepRow): void {
  const notBefore = row.opened?.until ?? later(row.startedAt!, step.forMs ?? 0);
  walk.commands.push({ type: "append", event: ended(row, "StepCompleted", { output: null }), notBefore });
}

function endContainer(
  walk: Walk,
  row: StepRow,
  { culprit }: Standing & { readonly done: true },
  output: JsonObject,
): void {
  if (culprit === null) return end(walk, row, "StepCompleted", output);
  end(walk, row, "StepFailed", { ...failure("STEP_FAILED", `${culprit} failed.`), culprit });
}

function end(walk: Walk, row: StepRow, eventType: string, data: JsonObject): void {
  walk.commands.push({ type: "append", event: ended(row, eventType, data) });
}

export function ended(row: StepRow, eventType: string, data: JsonObject): EventDraft {
  return { eventType, stepId: row.stepId, attempt: Number(row.logicalAttemptId), data };
}

/** The step inside whose output is the container's; without one it has none. */
function outputOf(path: string | null, prefix: string): JsonObject {
  return path === null ? { output: null } : { outputFrom: instanceId(path, prefix) };
}

export function failure(code: string, message: string): JsonObject {
  return { error: { code, message, retryable: false } };
}

function later(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString();
}
