/** What a user says about a schedule, checked, as data. */
import {
  catchUpPolicies,
  checkedJson,
  checkIdentifier,
  MAX_EVENT_BYTES,
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
  readonly id: string;
  readonly tenantId?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly priority?: number;
  /** Runs of one key are limited together. */
  readonly concurrencyKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Times that passed while no scheduler was there: `none`, the `latest` (default), or `all` up to `catchUpLimit`. */
  readonly catchUp?: CatchUp;
  /** Default 100. */
  readonly catchUpLimit?: number;
  /** While a run is still open: `allow` another, `skip` the time (default), `queue` it, or `cancel` the open one. */
  readonly overlap?: Overlap;
  /** Fires up to this much later, always by the same amount. */
  readonly jitter?: Duration;
}

/** A run's request is made of it and a time, and must fit into an identifier. */
const LONGEST_ID = 200;
const MOST_AT_ONCE = 1000;

export async function readDefinition(
  { plan, input: schema, initialState }: CompiledWorkflow,
  input: unknown,
  options: ScheduleOptions,
): Promise<ScheduleDefinition> {
  checkIdentifier("id", options.id);
  if (options.id.length > LONGEST_ID) throw invalid("id", `has more than ${LONGEST_ID} characters; shorten it.`);
  const { projectId = "default", environmentId = "default", priority = 0, concurrencyKey, labels } = options;
  if (concurrencyKey !== undefined) checkIdentifier("concurrencyKey", concurrencyKey);
  const parsed = await parseWith(schema, "input", input);
  return {
    timing: readTiming(options),
    plan: { planId: plan.planId, planVersion: plan.planVersion, hash: plan.hash },
    ...(parsed === undefined ? {} : { input: JSON.parse(checkedJson("input", parsed, MAX_EVENT_BYTES)) as Json }),
    ...(initialState === undefined ? {} : { state: initialState }),
    projectId,
    environmentId,
    priority,
    ...(concurrencyKey === undefined ? {} : { concurrencyKey }),
    ...(labels === undefined ? {} : { labels }),
    ...readPolicies(options),
  };
}

function readPolicies({ catchUp = "latest", catchUpLimit = 100, overlap = "skip", jitter = "0s" }: ScheduleOptions) {
  if (!catchUpPolicies.includes(catchUp)) throw invalid("catchUp", `is one of ${catchUpPolicies.join(", ")}.`);
  if (!overlapPolicies.includes(overlap)) throw invalid("overlap", `is one of ${overlapPolicies.join(", ")}.`);
  if (!Number.isInteger(catchUpLimit) || catchUpLimit < 1 || catchUpLimit > MOST_AT_ONCE)
    throw invalid("catchUpLimit", `must be a whole number from 1 to ${MOST_AT_ONCE}.`);
  const jitterMs = parseDuration(jitter);
  if (jitterMs === null) throw invalid("jitter", `must be a duration, as in "30s".`);
  return { catchUp, catchUpLimit, overlap, jitterMs };
}
