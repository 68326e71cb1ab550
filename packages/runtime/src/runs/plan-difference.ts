/** Names the steps in which two plans differ, for an error message. */
import type { Plan, PlanStep } from "@runledger/contracts";
import { indexPlan } from "@runledger/core";

const MAX_NAMED = 5;

/** `other steps (+ book-plane, - book-flight)`; `~` marks a step with other options. */
export function planDifference(published: Plan, plan: Plan): string {
  const { added, removed, changed } = changedSteps(published, plan);
  const marked = [
    added.map((path) => `+ ${path}`),
    removed.map((path) => `- ${path}`),
    changed.map((path) => `~ ${path}`),
  ];
  const all = marked.flat();
  if (all.length === 0) return "other options";
  const named = all.length > MAX_NAMED ? [...all.slice(0, MAX_NAMED), `${all.length - MAX_NAMED} more`] : all;
  return `other steps (${named.join(", ")})`;
}

/** Returns the paths of steps that only one plan has, and of steps with other options. */
export function changedSteps(one: Plan, other: Plan) {
  const [before, after] = [stepsOf(one), stepsOf(other)];
  return {
    added: [...after.keys()].filter((path) => !before.has(path)),
    removed: [...before.keys()].filter((path) => !after.has(path)),
    changed: [...after].flatMap(([path, text]) => (isOther(before.get(path), text) ? [path] : [])),
  };
}

function isOther(before: string | undefined, after: string): boolean {
  return before !== undefined && before !== after;
}

/** Each step by its path, as text without the steps inside it. */
function stepsOf(plan: Plan): Map<string, string> {
  return new Map([...indexPlan(plan)].map(([path, step]) => [path, textOf(step)]));
}

function textOf({ bodies = [], ...step }: PlanStep): string {
  const entries = Object.entries({ ...step, outputs: bodies.map(({ output }) => output) });
  return JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
