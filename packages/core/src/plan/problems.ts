import { omitUndefined, type PlanProblem } from "@runledger/contracts";
import type { Origin } from "./definition.js";
import type { LocatedStep } from "./located-step.js";

/** Builds a problem of a step. `at` is the option that has the problem, if it is known (`after[0]`). */
export function problem(
  { step, path }: Pick<LocatedStep, "step" | "path">,
  code: PlanProblem["code"],
  message: string,
  at?: string,
): PlanProblem {
  return problemAt(step, path, code, message, at);
}

export function problemAt(
  written: Origin,
  path: string,
  code: PlanProblem["code"],
  message: string,
  at?: string,
): PlanProblem {
  const origin = originOf(written, at);
  return { code, step: path, message, ...omitUndefined({ origin }) };
}

export function originOf({ origin, origins }: Origin, at: string | undefined): string | undefined {
  return (at === undefined ? undefined : origins?.[at]) ?? origin;
}
