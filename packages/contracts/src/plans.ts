import { InputError } from "./errors/families.js";
import type { Json, JsonObject } from "./json.js";
import type { Plan } from "./plan.js";
import type { PlanRef } from "./run-queue.js";
import type { Visibility } from "./visibility.js";
import type { RunNeeds, WorkerGap } from "./workers.js";

export interface PublishedPlan extends PlanRef {
  /** Hash of its content (D7). */
  readonly hash: string;
  /** The time of the first publication, by the store's clock. */
  readonly publishedAt: string;
  /** `true` if its notes contain the source that a worker can compile it from. */
  readonly hasSource: boolean;
  /** Absent if no publisher has set it: all tenants see the plan. */
  readonly visibility?: Visibility;
}

/**
 * Information about a plan besides its content. Notes are not part of the hash; a later value replaces an earlier one,
 * field by field.
 */
export interface PlanNotes {
  /** JSON Schema of the run's input. `null` if there is none or it cannot be expressed as one. */
  readonly inputSchema?: JsonObject | null;
  /** JSON Schemas by signal name. */
  readonly signalSchemas?: Readonly<Record<string, JsonObject | null>>;
  readonly initialState?: Json;
  /** The source text of the workflow, if it was published as text. */
  readonly source?: string;
  /** Absent means shared. */
  readonly visibility?: Visibility;
}

/** Unfinished runs that no live worker can run. */
export interface UnservedPlan extends RunNeeds {
  readonly missing: WorkerGap;
  readonly openRuns: number;
}

/** Published plans. The content of a plan id and version never changes, because unfinished runs rely on it (D7). */
export interface Plans {
  /**
   * Publishes a plan. Publishing the same plan again changes nothing. Throws PLAN_VERSION_TAKEN if the version has
   * other content.
   */
  registerPlan(plan: Plan, notes?: PlanNotes): Promise<void>;

  /** Returns the published plan, or `null` if it was not published. The plan of every started run is published. */
  loadPlan(ref: PlanRef): Promise<Plan | null>;

  /** Returns an empty object if there are no notes or the plan was not published. */
  loadNotes(ref: PlanRef): Promise<PlanNotes>;

  /** Lists published plans by id, then version; only those of `planId` if it is set. `limit` defaults to 1000. */
  listPlans(params?: {
    readonly planId?: string;
    /** `true` lists only plans that have a source. */
    readonly withSource?: boolean;
    readonly after?: PlanRef;
    readonly limit?: number;
  }): Promise<PublishedPlan[]>;

  /**
   * Lists the plans and log formats of unfinished runs, waiting ones included, that no live worker can run, by id,
   * version and format. The cost depends on the number of plans with unfinished runs, not on the number of runs that a
   * worker can run.
   */
  listUnserved(): Promise<UnservedPlan[]>;
}

/** D7: the version is already published with other content. */
export class PlanVersionTakenError extends InputError {
  constructor(
    readonly planId: string,
    readonly planVersion: string,
    /** Hash of the published plan. */
    readonly publishedHash: string,
    /** How the plan differs from the published one. */
    difference = "other steps or options",
  ) {
    const what = `${planVersion} of ${planId} is published with ${difference}, and runs may depend on it`;
    const message = `${what}. Give it a new version, or leave version out while you develop.`;
    super("PLAN_VERSION_TAKEN", "version", message);
  }
}
