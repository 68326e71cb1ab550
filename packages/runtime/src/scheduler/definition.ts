/** Validates schedule options and turns them into data. */
import {
  catchUpPolicies,
  checkedJson,
  checkIdentifier,
  MAX_EVENT_BYTES,
  omitUndefined,
  overlapPolicies,
  type CatchUp,
  type Json,
  type Overlap,
  type ScheduleDefinition,
} from "@runledger/contracts";
import { parseDuration, type Duration } from "@runledger/core";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { parseWith } from "../workflow/schema.js";
import { invalid, readTiming, type TimingOptions } from "./read-timing.js";

export interface ScheduleOptions extends TimingOptions {
  /** Id of the schedule, unique in its tenant. */
  readonly id: string;
  /** Tenant of the runs. Default: `default`. */
  readonly tenantId?: string;
  /** Project of the runs. Default: `default`. */
  readonly projectId?: string;
  /** Environment of the runs. Default: `default`. */
  readonly environmentId?: string;
  /** Priority of the runs. Default 0. */
  readonly priority?: number;
  /** Runs with the same key run one at a time. */
  readonly concurrencyKey?: string;
  /** Labels of the runs. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Which ticks to run that passed while no scheduler ran: `none`, the `latest` (default), or `all` up to `catchUpLimit`. */
  readonly catchUp?: CatchUp;
  /** Default 100. */
  readonly catchUpLimit?: number;
  /** If the previous run is still open: `allow` another, `skip` the tick (default), `queue` it, or `cancel` the open run. */
  readonly overlap?: Overlap;
  /** Delays every tick by a fixed amount up to this duration, derived from the schedule's id. */
  readonly jitter?: Duration;
}

/** The run's request id is the schedule's id plus a time, and must fit into an identifier. */
const MAX_ID_LENGTH = 200;
const MAX_CATCH_UP = 1000;

export async function readDefinition(
  { plan, input: schema, initialState }: CompiledWorkflow,
  input: unknown,
  options: ScheduleOptions,
): Promise<ScheduleDefinition> {
  checkIdentifier("id", options.id);
  if (options.id.length > MAX_ID_LENGTH) throw invalid("id", `must have at most ${MAX_ID_LENGTH} characters.`);
  const { projectId = "default", environmentId = "default", priority = 0, concurrencyKey, labels } = options;
  if (concurrencyKey !== undefined) checkIdentifier("concurrencyKey", concurrencyKey);
  const parsed = await parseWith(schema, "input", input);
  return {
    timing: readTiming(options),
    plan: { planId: plan.planId, planVersion: plan.planVersion, hash: plan.hash },
    ...(parsed === undefined ? {} : { input: JSON.parse(checkedJson("input", parsed, MAX_EVENT_BYTES)) as Json }),
    ...omitUndefined({ state: initialState }),
    projectId,
    environmentId,
    priority,
    ...omitUndefined({ concurrencyKey, labels }),
    ...readPolicies(options),
  };
}

function readPolicies({ catchUp = "latest", catchUpLimit = 100, overlap = "skip", jitter = "0s" }: ScheduleOptions) {
  if (!catchUpPolicies.includes(catchUp)) throw invalid("catchUp", `must be one of ${catchUpPolicies.join(", ")}.`);
  if (!overlapPolicies.includes(overlap)) throw invalid("overlap", `must be one of ${overlapPolicies.join(", ")}.`);
  if (!Number.isInteger(catchUpLimit) || catchUpLimit < 1 || catchUpLimit > MAX_CATCH_UP)
    throw invalid("catchUpLimit", `must be a whole number from 1 to ${MAX_CATCH_UP}.`);
  const jitterMs = parseDuration(jitter);
  if (jitterMs === null) throw invalid("jitter", `must be a duration of at most 36500d, such as "30s".`);
  return { catchUp, catchUpLimit, overlap, jitterMs };
}
