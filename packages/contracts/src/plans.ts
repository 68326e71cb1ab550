import { InputError } from "./errors/families.js";
import type { Plan } from "./plan.js";

/** Published plans. What a plan id and version stand for never changes: runs in flight rely on it (D7). */
export interface Plans {
  /** Publishes a plan; the same one again changes nothing. Throws PLAN_VERSION_TAKEN where the version has another. */
  registerPlan(plan: Plan): Promise<void>;
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
