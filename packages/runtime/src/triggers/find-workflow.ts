/** Finds the workflow that a trigger starts: in the code of this process, or in the store. */
import { InputError, isVisibleTo, type FullStateStore, type PlanNotes } from "@runledger/contracts";
import { z } from "zod";
import { newestFirst } from "../runs/read-workflows.js";
import { workflowNotFound } from "../runs/visibility.js";
import type { Timers } from "../time/timers.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnySchema } from "../workflow/schema.js";
import { fromNotes } from "../yaml/published-workflow.js";
import { schemaProblem } from "../yaml/schema-limits.js";

export interface WantedWorkflow {
  readonly id: string;
  /** `undefined` for the version that was published last. */
  readonly version: string | undefined;
  readonly tenantId: string;
}

/** Throws WORKFLOW_NOT_FOUND, also if the tenant may not see the workflow. */
export type FindWorkflow = (wanted: WantedWorkflow) => Promise<CompiledWorkflow>;

/** A new version is used after at most this time. */
const KEEP_MS = 2000;
const MAX_KEPT = 1000;

/** `own` find workflows whose code this process has. They take precedence. */
export function workflowFinder(store: FullStateStore, timers: Timers, own: Iterable<FindWorkflow>): FindWorkflow {
  const stored = recently(timers, (wanted) => storedWorkflow(store, wanted));
  return async (wanted) => {
    for (const find of own) {
      const found = await find(wanted).catch(unlessMissing);
      if (found !== null) return found;
    }
    return stored(wanted);
  };
}

function unlessMissing(error: unknown): null {
  if (error instanceof InputError && error.code === "WORKFLOW_NOT_FOUND") return null;
  throw error;
}

function recently({ now }: Timers, find: FindWorkflow): FindWorkflow {
  const kept = new Map<string, { readonly at: number; readonly found: Promise<CompiledWorkflow> }>();
  return (wanted) => {
    const key = JSON.stringify(wanted);
    const known = kept.get(key);
    if (known !== undefined && now() - known.at < KEEP_MS) return known.found;
    if (kept.size >= MAX_KEPT) kept.clear();
    const found = find(wanted);
    found.catch(() => kept.delete(key));
    kept.set(key, { at: now(), found });
    return found;
  };
}

/** A workflow that is known by its plan only: it can be started, and its input is checked as far as its notes describe it. */
async function storedWorkflow(store: FullStateStore, wanted: WantedWorkflow): Promise<CompiledWorkflow> {
  const { id, version, tenantId } = wanted;
  const plans = await store.plans.listPlans({ planId: id });
  const visible = newestFirst(plans.filter(({ visibility }) => isVisibleTo(visibility, tenantId)));
  const ref = visible.find(({ planVersion }) => (version ?? planVersion) === planVersion);
  const plan = ref === undefined ? null : await store.plans.loadPlan(ref);
  if (plan === null) throw workflowNotFound(id, version);
  const notes = await store.plans.loadNotes(plan);
  const { initialState } = notes;
  return (
    (await fromNotes(plan, notes)) ?? { plan, closures: new Map(), input: inputOf(notes), signals: {}, initialState }
  );
}

/** `undefined` if the schema cannot be checked without the code of the workflow. */
function inputOf({ inputSchema }: PlanNotes): AnySchema | undefined {
  if (inputSchema === undefined || inputSchema === null || schemaProblem(inputSchema) !== null) return undefined;
  try {
    return z.fromJSONSchema(inputSchema);
  } catch {
    return undefined;
  }
}
