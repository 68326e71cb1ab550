/**
 * Checks the ids of a definition.
 *  K3  A user's step id has at most 100 characters, no `/`, and is not `RUN` or `compensate`. A step outside containers
 *      is not `onFailure`. The longest id derived from it, with the prefix `compensate/` and an index per container, has
 *      at most 255.
 */
import { checkIdentifier, checkStepId, ON_FAILURE, type InputError, type PlanProblem } from "@runledger/contracts";
import type { Definition, DefinitionStep } from "./definition.js";
import type { LocatedStep } from "./located-step.js";
import { problem, problemAt } from "./problems.js";

const MAX_STEP_ID = 100;
const MAX_DERIVED_ID = 255;
/** Maximum number of passes of one container: the highest index of seven digits. */
const MAX_INDEX = 9_999_999;

export function* checkIds(definition: Definition, steps: readonly LocatedStep[]): Generator<PlanProblem> {
  yield* checkNames(definition);
  const seen = new Set<string>();
  for (const located of steps) {
    const fault = faultOf(located.step.id) ?? reserved(definition, located);
    if (fault !== null) yield problem(located, "PLAN_ID_INVALID", fault, "id");
    if (seen.has(located.path))
      yield problem(located, "PLAN_DUPLICATE_ID", "is used twice. Rename one of the steps.", "id");
    seen.add(located.path);
    const length = derivedLength(located);
    if (length <= MAX_DERIVED_ID) continue;
    const message = `can lead to an id of ${length} characters, including its containers; the limit is ${MAX_DERIVED_ID}. Shorten the ids.`;
    yield problem(located, "PLAN_ID_TOO_LONG", message, "id");
  }
}

/** Checks id and version of the workflow, because both are parts of keys (K1). */
function* checkNames(definition: Definition): Generator<PlanProblem> {
  for (const at of ["id", "version"] as const) {
    const value = definition[at];
    if (at === "version" && value === undefined) continue;
    const message = refusal(() => checkIdentifier(at, value));
    if (message !== null) yield problemAt(definition, "", "PLAN_ID_INVALID", message, at);
  }
}

function faultOf(id: string): string | null {
  const message = refusal(() => checkStepId("id", id));
  if (message !== null) return message;
  if (id === "compensate") return "is reserved for compensation. Rename it.";
  if (id.includes("/")) return "contains a `/`, which separates containers. Rename it.";
  return id.length > MAX_STEP_ID ? `has ${id.length} characters; the limit is ${MAX_STEP_ID}. Shorten it.` : null;
}

function reserved({ onFailure }: Definition, { step, containers }: LocatedStep): string | null {
  if (step.id !== ON_FAILURE || containers.length > 0 || step === onFailure) return null;
  return "is reserved for the step that runs before a run fails. Rename it.";
}

function refusal(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return (error as InputError).message;
  }
}

function derivedLength({ step, containers }: LocatedStep): number {
  const around = containers.map((container) => `${container.id}/${lastIndex(container)}/`);
  return ["compensate/", ...around, step.id].join("").length;
}

function lastIndex({ kind }: DefinitionStep): number {
  return kind === "when" ? 1 : MAX_INDEX;
}
