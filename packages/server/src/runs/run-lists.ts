/** Adds to the run index which runs wait for approval before they start. */
import type { FullStateStore, RunIndex, RunPage, RunSummary } from "@runledger/contracts";

export class RunLists {
  readonly #store: FullStateStore;
  /** Cache by workflow and version. A plan never changes. */
  readonly #approvals = new Map<string, boolean>();

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  async listRuns(params: Parameters<RunIndex["listRuns"]>[0]): Promise<RunPage> {
    const { runs, cursor } = await this.#store.index.listRuns(params);
    return { runs: await Promise.all(runs.map((run) => this.#withApproval(run))), cursor };
  }

  async #withApproval(run: RunSummary): Promise<RunSummary> {
    const isWaiting = run.status === "PENDING" && (await this.#needsApproval(run));
    return isWaiting ? { ...run, waitsFor: "approval" } : run;
  }

  async #needsApproval({ planId, planVersion }: RunSummary): Promise<boolean> {
    if (planId === undefined || planVersion === undefined) return false;
    const key = JSON.stringify([planId, planVersion]);
    const cached = this.#approvals.get(key);
    if (cached !== undefined) return cached;
    const plan = await this.#store.plans.loadPlan({ planId, planVersion });
    if (plan !== null) this.#approvals.set(key, plan.approval);
    return plan?.approval ?? false;
  }
}
