import { InputError } from "./errors/families.js";
import type { Json, JsonObject } from "./json.js";
import type { Plan } from "./plan.js";
import type { PlanRef } from "./run-queue.js";
import type { RunNeeds, WorkerGap } from "./workers.js";

export interface PublishedPlan extends PlanRef {
  /** Of its content (D7). */
  readonly hash: string;
  /** When it was first published, by the store's clock. */
  readonly publishedAt: string;
  /** True = its notes hold the text that a worker can make it from. */
  readonly hasSource: boolean;
}

/** What is known of a plan beside its content. It is no part of the hash: the last word counts, part by part. */
export interface PlanNotes {
  /** JSON Schema of what a run begins with; null = there is none, or it cannot be said. */
  readonly inputSchema?: JsonObject | null;
  /** JSON Schema by the signal's name. */
  readonly signalSchemas?: Readonly<Record<string, JsonObject | null>>;
  readonly initialState?: Json;
  /** The workflow as text, where it was published as one. */
  readonly source?: string;
}

/** Open runs that nobody can go on with. */
export interface UnservedPlan extends RunNeeds {
  readonly missing: WorkerGap;
  readonly openRuns: number;
}

/** Published plans. What a plan id and version stand for never changes: runs in flight rely on it (D7). */
export interface Plans {
  /** Publishes a plan; the same one again changes nothing. Throws PLAN_VERSION_TAKEN where the version has another. */
  registerPlan(plan: Plan, notes?: PlanNotes): Promise<void>;

  /** The plan as it was published; null = it was not. Whoever started a run has published its plan. */
  loadPlan(ref: PlanRef): Promise<Plan | null>;

  /** Empty = nothing is known of it, or it was not published. */
  loadNotes(ref: PlanRef): Promise<PlanNotes>;

  /** What is published, by id and then version, of one plan where it is named; at most `limit` (default 1000). */
  listPlans(params?: {
    readonly planId?: string;
    /** True = only those that have a source. */
    readonly withSource?: boolean;
    readonly after?: PlanRef;
    readonly limit?: number;
  }): Promise<PublishedPlan[]>;

  /**
   * Plans and log formats of open runs, waiting ones too, for which no live worker is there; by id, version and format.
   * Its cost is that of the plans that have open runs, not of the runs that somebody can run.
   */
  listUnserved(): Promise<UnservedPlan[]>;
}

/** D7: a version that says something else than it did. */
export class PlanVersionTakenError extends InputError {
  constructor(
    readonly planId: string,
    readonly planVersion: string,
    /** Of the plan that is published. */
    readonly publishedHash: string,
  ) {
    const message = `${planVersion} of ${planId} is published with other steps or options, and runs may rely on it. Give what you changed a new version.`;
    super("PLAN_VERSION_TAKEN", "version", message);
  }
}
