/**
 * Determines what a fork of a run keeps (D7): steps that succeeded, are not the step it starts from, and depend on no
 * step that runs again. A container whose inputs are kept resumes with the recorded result of its closure (D1):
 * completed steps inside are kept, the others run. Compensated steps are not kept, because their effect is gone (D8).
 */
import type { JsonObject, Plan, PlanBody, PlanStep, StepRow } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import { bodyOutput } from "./containers.js";
import { instanceId, pathOf, prefixOf, UNDO } from "./instance-ids.js";
import { indexPlan } from "./plan-index.js";

export interface ForkScope {
  /** Containers that resume, and passes of a `repeat`; outer ones first. */
  readonly opened: readonly string[];
  /** Steps and passes that keep their result. */
  readonly kept: readonly string[];
  /** Containers in which nothing runs, with the output that this plan gives them. */
  readonly whole: ReadonlyMap<string, JsonObject>;
  /** Steps that run, as far as they are known. Steps inside a container that is not open yet are not known. */
  readonly anew: readonly string[];
}

/** Returns `null` if `from` is not a step of this run under this plan. */
export function forkScope(plan: Plan, state: RunState, from: string): ForkScope | null {
  const walk = new ForkWalk(plan, state, from);
  walk.body(plan.body, "");
  return walk.isKept.has(from) ? walk : null;
}

/** Returns the steps that a fork would keep, but that are missing in the other plan or have another kind there. */
export function lostSteps(
  plans: { readonly before: Plan; readonly after: Plan },
  state: RunState,
  from: string,
): readonly string[] {
  const before = new ForkWalk(plans.before, state, from);
  before.body(plans.before.body, "");
  const paths = new Set([...before.opened, ...before.kept].map(pathOf));
  const [kinds, newKinds] = [indexPlan(plans.before), indexPlan(plans.after)];
  return [...paths].filter((path) => newKinds.get(path)?.kind !== kinds.get(path)!.kind);
}

class ForkWalk implements ForkScope {
  readonly opened: string[] = [];
  readonly kept: string[] = [];
  readonly whole = new Map<string, JsonObject>();
  readonly anew: string[] = [];
  /** By step: `true` if the step and everything inside it keeps its result. */
  readonly isKept = new Map<string, boolean>();
  readonly #stepAt: ReadonlyMap<string, PlanStep>;

  readonly #state: RunState;
  readonly #from: string;

  constructor(plan: Plan, state: RunState, from: string) {
    this.#stepAt = indexPlan(plan);
    this.#state = state;
    this.#from = from;
  }

  body({ steps }: PlanBody, prefix: string): boolean {
    return steps.map(({ id }) => this.#step(prefix + id)).every(Boolean);
  }

  #step(stepId: string): boolean {
    const known = this.isKept.get(stepId);
    if (known !== undefined) return known;
    const step = this.#stepAt.get(pathOf(stepId))!;
    const prefix = stepId.slice(0, stepId.length - step.id.length);
    const inputs = [...Object.values(step.needs), ...step.after].map((path) => this.#step(instanceId(path, prefix)));
    const row = stepId === this.#from || inputs.includes(false) ? undefined : this.#state.steps.get(stepId);
    const isKept = row === undefined ? this.#run(stepId) : this.#goOn(step, row);
    this.isKept.set(stepId, isKept);
    return isKept;
  }

  #run(stepId: string): false {
    this.anew.push(stepId);
    return false;
  }

  #keep(stepId: string): true {
    this.kept.push(stepId);
    return true;
  }

  #goOn(step: PlanStep, row: StepRow): boolean {
    const { stepId, status, culprit } = row;
    if (status === "SKIPPED" && culprit === undefined) return this.#keep(stepId); // skipped by an operator
    if (step.bodies !== undefined) return this.#container(step, row);
    return status === "SUCCESS" && !this.#isUndone(stepId) ? this.#keep(stepId) : this.#run(stepId);
  }

  /** Also `true` while the compensation is running. A failed compensation has left the effect in place. */
  #isUndone(stepId: string): boolean {
    const undo = this.#state.steps.get(UNDO + stepId);
    return undo !== undefined && (undo.status !== "FAILED" || undo.retryAt !== undefined);
  }

  #container(step: PlanStep, row: StepRow): boolean {
    const { stepId, status } = row;
    if (!this.#isOpened(step, row)) return this.#run(stepId);
    this.opened.push(stepId);
    const end = this.#inside(step, row);
    if (end === null || status !== "SUCCESS") return false;
    this.whole.set(stepId, end);
    return true;
  }

  #isOpened({ kind }: PlanStep, { stepId, opened }: StepRow): boolean {
    return kind === "repeat" ? this.#state.steps.get(`${stepId}/0`) !== undefined : opened !== undefined;
  }

  /** Returns the container's output, or `null` if something inside it runs. */
  #inside(step: PlanStep, { stepId, opened }: StepRow): JsonObject | null {
    const [body] = step.bodies!;
    if (step.kind === "repeat") return this.#passes(stepId, body!);
    if (step.kind === "forEach") return this.#items(stepId, body!, opened!.count!);
    return this.#branch(step, stepId, opened!.branch!);
  }

  #branch(step: PlanStep, stepId: string, branch: number): JsonObject | null {
    const taken = step.bodies![branch];
    if (taken === undefined) return { output: null };
    const prefix = prefixOf(stepId, branch);
    return this.body(taken, prefix) ? bodyOutput(taken.output, prefix) : null;
  }

  #items(stepId: string, body: PlanBody, count: number): JsonObject | null {
    let all = true;
    for (let index = 0; index < count; index++) all = this.body(body, prefixOf(stepId, index)) && all;
    return all ? {} : null;
  }

  /** Keeps passes up to the first one that does not keep its result, because later passes depend on it. */
  #passes(stepId: string, body: PlanBody): JsonObject | null {
    for (let index = 0; ; index++) {
      const pass = this.#state.steps.get(`${stepId}/${index}`);
      if (pass === undefined || pass.status === "PENDING") return null;
      this.opened.push(pass.stepId);
      const prefix = prefixOf(stepId, index);
      if (!this.body(body, prefix) || pass.status !== "SUCCESS") return null;
      this.#keep(pass.stepId);
      if (pass.again !== true) return bodyOutput(body.output, prefix);
    }
  }
}
