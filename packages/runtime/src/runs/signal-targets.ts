/** Refuses signals and actions that name something that the run's workflow does not have. Nothing is recorded. */
import { InputError, type FullStateStore, type Plan } from "@runledger/contracts";
import { indexPlan, isInstance, type RunState } from "@runledger/core";
import { nearest } from "../yaml/nearest.js";

/** Refuses a name that the workflow neither declares nor waits for. A workflow without declarations accepts every name. */
export async function checkSignalName(store: FullStateStore, state: RunState, name: string): Promise<void> {
  const { planId, planVersion } = state.details;
  if (planId === undefined || planVersion === undefined) return;
  const { signalSchemas = {} } = await store.plans.loadNotes({ planId, planVersion });
  const declared = Object.keys(signalSchemas);
  if (declared.length === 0 || declared.includes(name)) return;
  const names = [...new Set([...declared, ...waitsOf(await store.plans.loadPlan({ planId, planVersion }))])];
  if (!names.includes(name)) throw unknownSignal(`${planId} ${planVersion}`, name, names);
}

function waitsOf(plan: Plan | null): string[] {
  return plan === null ? [] : [...indexPlan(plan).values()].flatMap(({ signal }) => signal ?? []);
}

function unknownSignal(workflow: string, name: string, names: readonly string[]): InputError {
  const message = `is ${name}, which workflow ${workflow} does not declare.${suggestion(name, names)} It declares ${names.join(", ")}.`;
  return new InputError("SIGNAL_UNKNOWN", "signal", message);
}

/** Refuses a step that the run does not have. A mistyped id must not look like an accepted action. */
export async function checkStep(store: FullStateStore, state: RunState, stepId: string): Promise<void> {
  const { planId, planVersion } = state.details;
  if (planId === undefined || planVersion === undefined || hasRows(state, stepId)) return;
  const plan = await store.plans.loadPlan({ planId, planVersion });
  if (plan === null || isInstance(indexPlan(plan), state, stepId)) return;
  const hint = suggestion(stepId, [...indexPlan(plan).keys()]);
  const message = `is ${stepId}, which run ${state.runId} does not have.${hint} Run "runledger watch ${state.runId}" to see its steps.`;
  throw new InputError("STEP_NOT_FOUND", "stepId", message);
}

/** Returns `true` if events have named the step or, for one pass of a container, a step inside it. */
function hasRows({ steps }: RunState, stepId: string): boolean {
  return steps.get(stepId) !== undefined || steps.rows().some((row) => row.stepId.startsWith(`${stepId}/`));
}

function suggestion(word: string, words: readonly string[]): string {
  const near = nearest(word, words);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}
