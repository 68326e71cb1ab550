/** Lists the partitions of workflows and backfills them. */
import { DEFAULT_TENANT, InputError, type Partitions, type PartitionStatus } from "@runledger/contracts";
import { partitionOf } from "@runledger/core";
import type { FindWorkflow } from "../triggers/find-workflow.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow } from "../workflow/types.js";
import {
  backfillPartitions,
  type BackfillParts,
  type PartitionBackfill,
  type PartitionBackfillOptions,
} from "./backfill-partitions.js";
import { readPartitionRuns, type PartitionPlace } from "./partition-runs.js";
import { boundsOf, selectKeys, type PartitionBounds, type PartitionSelection } from "./select-partitions.js";

/** Selects the runs that count: those of one project and environment of a tenant. */
export interface PartitionPlaceOptions {
  /** Default: `default`. */
  readonly tenantId?: string;
  /** Default: `default`. */
  readonly projectId?: string;
  /** Default: `default`. */
  readonly environmentId?: string;
}

/** Partitions in order, with the states of their newest runs. */
export interface PartitionList extends PartitionBounds {
  readonly partitions: Partitions;
  readonly items: readonly PartitionStatus[];
}

export interface LedgerPartitionsParts extends BackfillParts {
  readonly find: FindWorkflow;
  /** Brings the run index up to the log if nothing in this process does. */
  readonly catchUp: () => Promise<void>;
  readonly onStarted: () => void;
}

/** A list without `from` has the last partitions. */
const LISTED = 100;

export class LedgerPartitions {
  readonly #parts: LedgerPartitionsParts;

  constructor(parts: LedgerPartitionsParts) {
    this.#parts = parts;
  }

  /**
   * Lists partitions of a workflow with their states: those from `from` to `to`, or the last 100. `workflow` is a workflow,
   * or the id of one.
   */
  async list(
    workflow: AnyWorkflow | string,
    options: PartitionSelection & PartitionPlaceOptions = {},
  ): Promise<PartitionList> {
    await this.#parts.catchUp();
    return this.read(workflow, options);
  }

  /** The same without the runs that were not projected yet. For servers, whose projectors run all the time. */
  async read(
    workflow: AnyWorkflow | string,
    options: PartitionSelection & PartitionPlaceOptions = {},
  ): Promise<PartitionList> {
    const { store, timers } = this.#parts;
    const { compiled, partitions, place } = await this.#find(workflow, options);
    const now = timers.now();
    const most = partitions.by === "key" ? null : LISTED;
    const runs = await readPartitionRuns(store, place, selectKeys(partitions, options, { now, most }));
    const items = runs.map(({ key, state, newest }) => {
      return { ...partitionOf(compiled.plan.partitions!, key)!, state, runId: newest?.runId ?? null };
    });
    return { partitions, ...boundsOf(partitions, now), items };
  }

  /**
   * Starts a run for each selected partition that has none or whose newest run failed. Safe to repeat and to call from several
   * places: each of them starts a partition once.
   */
  async backfill(
    workflow: AnyWorkflow | string,
    options: PartitionBackfillOptions & PartitionPlaceOptions = {},
  ): Promise<PartitionBackfill> {
    const { catchUp, onStarted, ...parts } = this.#parts;
    const { compiled, partitions, place } = await this.#find(workflow, options);
    const keys = selectKeys(partitions, options, { now: parts.timers.now(), most: null });
    await catchUp();
    const done = await backfillPartitions({ ...parts, workflow: compiled, place, options }, keys);
    if (!done.dryRun) onStarted();
    return done;
  }

  async #find(workflow: AnyWorkflow | string, options: PartitionPlaceOptions) {
    const { tenantId = DEFAULT_TENANT, projectId = "default", environmentId = "default" } = options;
    const compiled: CompiledWorkflow =
      typeof workflow === "string"
        ? await this.#parts.find({ id: workflow, version: undefined, tenantId })
        : compiledOf(workflow);
    const { planId, partitions } = compiled.plan;
    const place: PartitionPlace = { tenantId, projectId, environmentId, planId };
    if (partitions !== undefined) return { compiled, partitions, place };
    const message = `${planId} is not partitioned. Give it the option partitions, such as { by: "day", start: "2026-01-01" }.`;
    throw new InputError("OPTION_INVALID", "workflow", message);
  }
}
