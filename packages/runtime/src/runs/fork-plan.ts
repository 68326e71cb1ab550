/** Plans a fork before anything is written (D7). */
import {
  DEFAULT_TENANT,
  InputError,
  type CanonicalEngineEvent,
  type ForkOrigin,
  type FullStateStore,
  type Json,
  type JsonObject,
  type Plan,
} from "@runledger/contracts";
import { forkScope, indexPlan, lostSteps, pathOf, type ForkScope, type RunState } from "@runledger/core";
import { keyOf } from "./outputs.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import type { AnyWorkflow } from "../workflow/types.js";
import { checkVisible } from "./visibility.js";
import { loadToDecide } from "./load-state.js";
import type { StartOptions } from "./start-run.js";

export interface ForkOptions<W extends AnyWorkflow = AnyWorkflow> extends Pick<
  StartOptions,
  "requestId" | "runId" | "priority" | "labels" | "by"
> {
  /** The step to run again, with everything that depends on it. Use the full name inside a container: `tables/3/analyze`. */
  readonly from: string;
  /** Another version of the same workflow: its name or the workflow itself. Default: the run's version. */
  readonly version?: string | W;
  /** Default: the input of the run. */
  readonly input?: unknown;
}

/** A validated fork. */
export interface ForkPlan {
  readonly origin: ForkOrigin;
  readonly state: RunState;
  readonly plan: Plan;
  /** `null` if only the plan is known, without its code. */
  readonly workflow: CompiledWorkflow | null;
  readonly input: Json | undefined;
  readonly initialState: Json | undefined;
  readonly scope: ForkScope;
}

export async function planFork(store: FullStateStore, runId: string, options: ForkOptions): Promise<ForkPlan> {
  const state = await loadToDecide(store, runId);
  if (state.details.erased !== undefined)
    throw invalid("run", `The payloads of ${runId} are erased, so its steps cannot run again. Start a new run.`);
  const queued = await queuedOf(store, state);
  const { plan, workflow, before } = await plansOf(store, state, options.version);
  const scope = scopeOf({ before, after: plan }, state, options.from);
  const isSame = plan.hash === before.hash;
  const origin = { runId, seq: state.lastEventSeq, from: options.from };
  const given = "input" in options && options.input !== undefined;
  const schema = given || !isSame ? workflow?.input : undefined; // the run's input is already parsed
  const input = (await parseWith(schema, "input", given ? options.input : queued["input"])) as Json | undefined;
  const initialState = isSame || workflow === null ? queued["state"] : workflow.initialState;
  return { origin, state, plan, workflow, input, initialState, scope };
}

async function queuedOf(store: FullStateStore, { runId, details }: RunState): Promise<JsonObject> {
  const source = { store, runId, planVersion: details.planVersion ?? "" };
  const [queued] = await store.fetchByKeys(runId, [keyOf(source, "RunQueued", "1")]);
  if (queued !== undefined) return (queued as CanonicalEngineEvent & { readonly eventData: JsonObject }).eventData;
  throw invalid(
    "run",
    `${runId} was not started by this ledger, so its input is not recorded. Fork a run that the ledger started.`,
  );
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
  const { tenantId = DEFAULT_TENANT } = details;
  const before = await published(store, planId, planVersion);
  const wanted = workflow?.plan.planVersion ?? (version as string | undefined) ?? planVersion;
  if (workflow === null) await checkVisible(store, { planId, planVersion: wanted }, tenantId);
  const plan = workflow?.plan ?? (wanted === planVersion ? before : await published(store, planId, wanted));
  return { before, plan, workflow };
}

async function published(store: FullStateStore, planId: string, planVersion: string): Promise<Plan> {
  const plan = await store.plans.loadPlan({ planId, planVersion });
  if (plan !== null) return plan;
  const known = (await store.plans.listPlans({ planId }))
    .filter(({ visibility = "shared" }) => visibility === "shared") // the run's tenant may not see the others
    .map((each) => each.planVersion)
    .join(", ");
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
      ? invalid("from", `${from} is in a container that runs again, or does not exist. Fork from ${container}.`)
      : invalid(
          "from",
          `${from} is not a step of ${planId} ${planVersion}, which has ${[...steps.keys()].join(", ")}.`,
        );
  }
  const lost = lostSteps(plans, state, from);
  if (lost.length === 0) return scope;
  const message = `${planVersion} lacks steps that would be kept, or has them as another kind: ${lost.join(", ")}.`;
  throw invalid("version", `${message} Fork from a step before them, or to a version that has them.`);
}

function invalid(field: string, message: string): InputError {
  return new InputError("FORK_INVALID", field, message);
}
