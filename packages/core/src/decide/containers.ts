/**
 * Containers: steps that contain steps. The log records the results of their closures (D1); everything else follows
 * from them.
 */
import type { JsonObject, PlanStep, StepRow } from "@runledger/contracts";
import { walkBody, type Walk, type WalkRunning } from "./body-walk.js";
import { append, ended, failure, later } from "./drafts.js";
import { instanceId, pathOf, prefixOf } from "./instance-ids.js";

export function walkWhen(walk: Walk, step: PlanStep, row: StepRow, walkRunning: WalkRunning): void {
  const branch = row.opened!.branch!;
  const body = step.bodies![branch];
  if (body === undefined) return end(walk, row, null, { output: null }); // no branch to take (D8)
  const prefix = prefixOf(row.stepId, branch);
  const standing = walkBody(walk, body, prefix, walkRunning);
  if (standing.done) end(walk, row, standing.culprit, bodyOutput(body.output, prefix));
}

/**
 * At most `concurrency` passes are open at a time; the next one starts when one is done. If nothing has happened in a
 * pass since the last walk, its previous commands still apply (D4).
 */
export function walkForEach(walk: Walk, step: PlanStep, row: StepRow, walkRunning: WalkRunning): void {
  const count = row.opened!.count!;
  const passes = walk.memory.of(row.stepId);
  const look = (index: number): void => {
    const before = walk.commands.length;
    const standing = walkBody(walk, step.bodies![0]!, prefixOf(row.stepId, index), walkRunning);
    if (standing.done) passes.ended(index, standing.culprit);
    else passes.open.set(index, walk.commands.slice(before));
  };
  for (const [index, said] of passes.open) {
    if (passes.isTouched(index)) look(index);
    else for (const command of said) walk.commands.push(command);
  }
  passes.settle();
  const steps = step.bodies![0]!.steps.map(({ id }) => id);
  while (passes.open.size < step.concurrency! && passes.next < count) {
    const through = walk.state.steps.completedThrough(row.stepId, steps, passes.next);
    if (through >= passes.next) passes.next = through + 1;
    else look(passes.next++);
  }
  if (passes.open.size === 0) end(walk, row, passes.culprit, {});
}

/**
 * Each pass is a step `container/index`. The result of a pass determines whether another one follows (D1). If an
 * operator retries an exhausted repeat, it gets the same number of passes again.
 */
export function walkRepeat(walk: Walk, step: PlanStep, row: StepRow, walkRunning: WalkRunning): void {
  const most = step.max! * Number(row.logicalAttemptId);
  const passes = walk.memory.of(row.stepId);
  for (; passes.next < most; passes.next++) {
    const iteration = passes.next;
    const stepId = `${row.stepId}/${iteration}`;
    const pass = walk.state.steps.get(stepId);
    if (pass === undefined || pass.status === "PENDING") return beginPass(walk, step, row, iteration, pass);
    if (pass.status === "RUNNING") return walkPass(walk, step, pass, { row, iteration }, walkRunning);
    if (pass.status === "FAILED") return end(walk, row, stepId, {});
    if (pass.again !== true) return end(walk, row, null, bodyOutput(step.bodies![0]!.output, `${stepId}/`));
  }
  walk.commands.push(
    append(
      ended(
        row,
        "StepFailed",
        failure("REPEAT_EXHAUSTED", `The repeat was not done after ${most} passes. Raise "max".`),
      ),
    ),
  );
}

/** The delay separates two passes. A pass that an operator retries starts at once. */
function beginPass(
  walk: Walk,
  step: PlanStep,
  { stepId: containerId }: StepRow,
  iteration: number,
  reset: StepRow | undefined,
): void {
  if (!walk.mayStart) return;
  const stepId = `${containerId}/${iteration}`;
  const attempt = Number(reset?.logicalAttemptId ?? "1");
  const before = reset === undefined ? walk.state.steps.get(`${containerId}/${iteration - 1}`) : undefined;
  const delay = before === undefined ? {} : { notBefore: later(before.completedAt!, step.delayMs ?? 0) };
  walk.commands.push({ type: "append", event: { eventType: "StepStarted", stepId, attempt }, ...delay });
}

function walkPass(
  walk: Walk,
  step: PlanStep,
  pass: StepRow,
  { row: { stepId }, iteration }: { readonly row: StepRow; readonly iteration: number },
  walkRunning: WalkRunning,
): void {
  const standing = walkBody(walk, step.bodies![0]!, prefixOf(stepId, iteration), walkRunning);
  if (!standing.done) return;
  if (standing.culprit !== null) return end(walk, pass, standing.culprit, {});
  const attempt = Number(pass.logicalAttemptId);
  walk.commands.push({ type: "askAgain", stepId, path: pathOf(stepId), iteration, attempt });
}

function end(walk: Walk, row: StepRow, culprit: string | null, output: JsonObject): void {
  walk.memory.forget(row.stepId);
  const event =
    culprit === null
      ? ended(row, "StepCompleted", output)
      : ended(row, "StepFailed", { ...failure("STEP_FAILED", `Step ${culprit} failed.`), culprit });
  walk.commands.push(append(event));
}

/** The container's output is the output of a step inside it, or `null` if the body has no output. */
export function bodyOutput(path: string | null, prefix: string): JsonObject {
  return path === null ? { output: null } : { outputFrom: instanceId(path, prefix) };
}
