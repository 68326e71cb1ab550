/** Compares two versions of a plan step by step. */
import type { Partitions, PlanBody, PlanStep } from "@runledger/contracts";

export interface Change {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** The changed fields of a changed step. */
  readonly fields: readonly FieldChange[];
}

export interface FieldChange {
  readonly name: string;
  /** `null` if the field did not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

interface Described {
  readonly body: PlanBody;
  readonly deadlineMs: number | null;
  readonly approval: boolean;
  readonly partitions?: Partitions;
}

/** Changes are in the order of the newer plan. Removed steps come last. */
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

/** The path of settings of the whole plan, which come first. */
export const WHOLE = "Workflow settings";

function stepsOf({ body, deadlineMs, approval, partitions }: Described): ReadonlyMap<string, Fields> {
  const settings = { deadlineMs, approval, ...(partitions && { partitions }), output: body.output };
  const steps = new Map<string, Fields>([[WHOLE, fieldsOf(settings)]]);
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

/** Flattens an object to dotted names such as `retry.attempts`. Lists are not flattened. */
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
