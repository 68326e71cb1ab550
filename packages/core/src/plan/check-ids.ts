/**
 * Ids of a definition.
 *  K3  A user's step id has at most 100 characters, no `/`, and is not `RUN` or `compensate`; the longest id that is
 *      derived from it, `compensate/` in front and an index per container, has at most 255.
 */
import { checkIdentifier, checkStepId, type InputError, type PlanProblem } from "@runledger/contracts";
import type { Definition, DefinitionStep } from "./definition.js";
import type { LocatedStep } from "./located-step.js";
import { problem, problemAt } from "./problems.js";

const MAX_STEP_ID = 100;
const MAX_DERIVED_ID = 255;
/** Passes through one container; what an index of seven digits can name. */
const MAX_INDEX = 9_999_999;

export function* checkIds(definition: Definition, steps: readonly LocatedStep[]): Generator<PlanProblem> {
  yield* checkNames(definition);
  const seen = new Set<string>();
  for (const located of steps) {
    const fault = faultOf(located.step.id);
    if (fault !== null) yield problem(located, "PLAN_ID_INVALID", fault, "id");
    if (seen.has(located.path))
      yield problem(located, "PLAN_DUPLICATE_ID", "is there twice. Rename one of them.", "id");
    seen.add(located.path);
    const length = derivedLength(located);
    if (length <= MAX_DERIVED_ID) continue;
    const message = `may become an id of ${length} characters with its containers; at most ${MAX_DERIVED_ID} fit. Shorten the ids.`;
    yield problem(located, "PLAN_ID_TOO_LONG", message, "id");
  }
}

/** The workflow's own: both are parts of keys (K1). */
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
  if (id === "compensate") return "is reserved for undoing steps. Rename it.";
  if (id.includes("/")) return "has a `/`, which separates containers. Rename it.";
  return id.length > MAX_STEP_ID ? `has ${id.length} characters; at most ${MAX_STEP_ID} fit. Shorten it.` : null;
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
