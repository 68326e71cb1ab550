/** What a fork would be, before anything is written (D7). */
import {
  InputError,
  type CanonicalEngineEvent,
  type ForkOrigin,
  type FullStateStore,
  type Json,
  type JsonObject,
  type Plan,
} from "@runledger/contracts";
import { forkScope, indexPlan, lostSteps, pathOf, type ForkScope, type RunState } from "@runledger/core";
import { keyOf } from "../engine/outputs.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import type { AnyWorkflow } from "../workflow/types.js";
import { loadState } from "./load-state.js";
import type { StartOptions } from "./start-run.js";

export interface ForkOptions<W extends AnyWorkflow = AnyWorkflow> extends Pick<
  StartOptions,
  "requestId" | "runId" | "priority" | "labels" | "by"
> {
  /** The step that runs first, with all that depends on it. Inside a container by its full name: `tables/3/analyze`. */
  readonly from: string;
  /** Another version of the same workflow, by its name or itself. Default: the run's own. */
  readonly version?: string | W;
  /** Default: the run's own. */
  readonly input?: unknown;
}

/** A fork that can be made. */
export interface ForkPlan {
  readonly origin: ForkOrigin;
  readonly state: RunState;
  readonly plan: Plan;
  /** Null = only the plan is known, not what stands behind it. */
  readonly workflow: CompiledWorkflow | null;
  readonly input: Json | undefined;
  readonly initialState: Json | undefined;
  readonly scope: ForkScope;
}

export async function planFork(store: FullStateStore, runId: string, options: ForkOptions): Promise<ForkPlan> {
  const state = await loadState(store, runId);
  const queued = await queuedOf(store, state);
  const { plan, workflow, before } = await plansOf(store, state, options.version);
  const scope = scopeOf({ before, after: plan }, state, options.from);
  const isSame = plan.hash === before.hash;
  const origin = { runId, seq: state.lastEventSeq, from: options.from };
  const given = "input" in options && options.input !== undefined;
  const schema = given || !isSame ? workflow?.input : undefined; // what was parsed once is not parsed again
  const input = (await parseWith(schema, "input", given ? options.input : queued["input"])) as Json | undefined;
  const initialState = isSame || workflow === null ? queued["state"] : workflow.initialState;
  return { origin, state, plan, workflow, input, initialState, scope };
}

async function queuedOf(store: FullStateStore, { runId, details }: RunState): Promise<JsonObject> {
  const source = { store, runId, planVersion: details.planVersion ?? "" };
  const [queued] = await store.fetchByKeys(runId, [keyOf(source, "RunQueued", "1")]);
  if (queued !== undefined) return (queued as CanonicalEngineEvent & { readonly eventData: JsonObject }).eventData;
  throw invalid("run", `${runId} was not started by a ledger, which would know what it began with.`);
}

interface Plans {
  readonly before: Plan;
  readonly plan: Plan;
  readonly workflow: CompiledWorkflow | null;
}

async function plansOf(store: FullStateStore, { details }: RunState, version: ForkOptions["version"]): Promise<Plans> {
  const { planId = "", planVersion = "" } = details;
  const workflow = typeof version === "object" ? compiledOf(version) : null;
  if (workflow !== null && workflow.plan.planId !== planId) {
    throw invalid("version", `is of ${workflow.plan.planId}; a run of ${planId} is forked to another version of it.`);
  }
  const before = await published(store, planId, planVersion);
  const wanted = workflow?.plan.planVersion ?? (version as string | undefined) ?? planVersion;
  const plan = workflow?.plan ?? (wanted === planVersion ? before : await published(store, planId, wanted));
  return { before, plan, workflow };
}

async function published(store: FullStateStore, planId: string, planVersion: string): Promise<Plan> {
  const plan = await store.plans.loadPlan({ planId, planVersion });
  if (plan !== null) return plan;
  const known = (await store.plans.listPlans({ planId })).map((each) => each.planVersion).join(", ");
  const message = `there is no ${planVersion} of ${planId}; published are: ${known === "" ? "none" : known}.`;
  throw new InputError("WORKFLOW_NOT_FOUND", "version", message);
}

function scopeOf(plans: { readonly before: Plan; readonly after: Plan }, state: RunState, from: string): ForkScope {
  const { planId, planVersion } = plans.after;
  const scope = forkScope(plans.after, state, from);
  if (scope === null) {
    const steps = indexPlan(plans.after);
    const [container] = from.split("/");
    throw steps.has(pathOf(from))
      ? invalid("from", `${from} is in a container that begins anew, or was never there. Fork from ${container}.`)
      : invalid("from", `${from} is no step of ${planId} ${planVersion}, which has ${[...steps.keys()].join(", ")}.`);
  }
  const lost = lostSteps(plans, state, from);
  if (lost.length === 0) return scope;
  const message = `${planVersion} lacks steps that would be kept, or has them as another kind: ${lost.join(", ")}.`;
  throw invalid("version", `${message} Fork from a step before them, or to a version that has them.`);
}

function invalid(field: string, message: string): InputError {
  return new InputError("FORK_INVALID", field, message);
}
