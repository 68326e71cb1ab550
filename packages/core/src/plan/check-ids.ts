/**
 * Ids of a definition.
 *  K3  A user's step id has at most 100 characters, no `/`, and is not `RUN` or `compensate`; the longest id that is
 *      derived from it, `compensate/` in front and an index per container, has at most 255.
 */
import { checkStepId, InputError, type PlanProblem } from "@runledger/contracts";
import type { DefinitionStep } from "./definition.js";
import type { LocatedStep } from "./located-step.js";

const MAX_STEP_ID = 100;
const MAX_DERIVED_ID = 255;
/** Items of one forEach; what an index of seven digits can name. */
export const MAX_ITEMS = 9_999_999;

export function* checkIds(steps: readonly LocatedStep[]): Generator<PlanProblem> {
  const seen = new Set<string>();
  for (const located of steps) {
    yield* checkId(located);
    if (seen.has(located.path)) yield problem(located, "PLAN_DUPLICATE_ID", "is there twice; rename one of them.");
    seen.add(located.path);
    const length = derivedLength(located);
    if (length > MAX_DERIVED_ID) {
      const message = `may become an id of ${length} characters with its containers; at most ${MAX_DERIVED_ID} fit. Shorten the ids.`;
      yield problem(located, "PLAN_ID_TOO_LONG", message);
    }
  }
}

function* checkId(located: LocatedStep): Generator<PlanProblem> {
  const { id } = located.step;
  try {
    checkStepId("id", id);
  } catch (error) {
    return yield problem(located, "PLAN_ID_INVALID", (error as InputError).message);
  }
  if (id === "compensate") yield problem(located, "PLAN_ID_INVALID", "is reserved for undoing steps; rename it.");
  if (id.includes("/")) yield problem(located, "PLAN_ID_INVALID", "has a `/`, which separates containers; rename it.");
  if (id.length > MAX_STEP_ID) yield problem(located, "PLAN_ID_INVALID", `has more than ${MAX_STEP_ID} characters.`);
}

function derivedLength({ step, containers }: LocatedStep): number {
  const around = containers.map((container) => container.id.length + String(lastIndex(container)).length + 2);
  return "compensate/".length + around.reduce((sum, length) => sum + length, 0) + step.id.length;
}

function lastIndex(container: DefinitionStep): number {
  if (container.kind === "forEach") return MAX_ITEMS;
  return container.kind === "repeat" ? (container.max ?? 1) : 1;
}

export function problem(
  { step, path }: Pick<LocatedStep, "step" | "path">,
  code: PlanProblem["code"],
  message: string,
): PlanProblem {
  return { code, step: path, message, ...(step.origin === undefined ? {} : { origin: step.origin }) };
}
