/** What is different between two versions of a plan, step by step. */
import type { PlanBody, PlanStep } from "@runledger/contracts";

export interface Change {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** Of a changed step: what of it, before and after; absent = there was no such thing. */
  readonly fields: readonly FieldChange[];
}

export interface FieldChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface Described {
  readonly body: PlanBody;
  readonly deadlineMs: number | null;
  readonly approval: boolean;
}

/** In the order of the newer one; what is gone comes last. */
export function diffPlans(before: Described, after: Described): readonly Change[] {
  const [old, now] = [stepsOf(before), stepsOf(after)];
  const present = [...now].flatMap(([path, fields]): Change[] => {
    const known = old.get(path);
    if (known === undefined) return [{ path, kind: "added", fields: [] }];
    const changed = changedFields(known, fields);
    return changed.length === 0 ? [] : [{ path, kind: "changed", fields: changed }];
  });
  const gone = [...old.keys()].filter((path) => !now.has(path));
  return [...present, ...gone.map((path): Change => ({ path, kind: "removed", fields: [] }))];
}

type Fields = ReadonlyMap<string, string>;

/** What holds for the whole plan comes first. */
export const WHOLE = "the whole workflow";

function stepsOf({ body, deadlineMs, approval }: Described): ReadonlyMap<string, Fields> {
  const steps = new Map<string, Fields>([[WHOLE, fieldsOf({ deadlineMs, approval, output: body.output })]]);
  addSteps(body, "", steps);
  return steps;
}

function addSteps(body: PlanBody, prefix: string, steps: Map<string, Fields>): void {
  for (const { id, bodies, ...step } of body.steps) {
    const path = prefix + id;
    steps.set(path, fieldsOf(step satisfies Omit<PlanStep, "id" | "bodies">));
    for (const inner of bodies ?? []) addSteps(inner, `${path}/`, steps);
  }
}

/** Leaves by their dotted names: `retry.attempts`. A list is a leaf. */
function fieldsOf(value: object, prefix = ""): Fields {
  const fields = new Map<string, string>();
  for (const [name, field] of Object.entries(value)) {
    const isBranch = typeof field === "object" && field !== null && !Array.isArray(field);
    const inner = isBranch
      ? fieldsOf(field as object, `${prefix}${name}.`)
      : [[prefix + name, JSON.stringify(field)] as const];
    for (const [leaf, text] of inner) fields.set(leaf, text);
  }
  return fields;
}

function changedFields(before: Fields, after: Fields): readonly FieldChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((field) => field.before !== field.after);
}
