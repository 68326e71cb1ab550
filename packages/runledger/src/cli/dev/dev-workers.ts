/**
 * The worker of `dev`, replaced when the project's code changes.
 * A run never changes its version (D7): new runs use the code on disk. A version that is no longer on disk but has open runs
 * keeps the code it was loaded with until `dev` stops.
 */
import type { Project } from "../../config/load-project.js";
import type { Worker } from "@runledger/runtime/engine/worker";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { OpenRunCounts, versionKey } from "./count-open-runs.js";

/** The effect of a reload on one workflow's open runs. */
export interface ReloadOutcome {
  readonly workflow: AnyWorkflow;
  readonly openRuns: number;
  /** `new`: on disk since this reload. `same`: still on disk. `kept`: no longer on disk. */
  readonly state: "new" | "same" | "kept";
}

export class DevWorkers {
  readonly #ledger: Ledger;
  readonly #openRuns: OpenRunCounts;
  #known: ReadonlyMap<string, AnyWorkflow> = new Map();
  #worker: Worker | null = null;
  /** Workers with earlier code that finish their running steps. */
  readonly #stopping = new Set<Worker>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#openRuns = new OpenRunCounts(ledger.store);
  }

  /** The workflows that can run here, earlier versions first. */
  get workflows(): readonly AnyWorkflow[] {
    return [...this.#known.values()];
  }

  /** Counts open runs, by version, whose code is not loaded here. */
  async unservedRuns(): Promise<ReadonlyMap<string, number>> {
    const counts = await this.#openRuns.count();
    return new Map([...counts].filter(([key]) => !this.#known.has(key)));
  }

  /** Throws PLAN_VERSION_TAKEN if a published version has changed; the current worker then stays in use. */
  async use({ workflows, config }: Project): Promise<ReloadOutcome[]> {
    const onDisk = new Map(workflows.map(({ workflow }) => [versionKey(workflow.id, workflow.version), workflow]));
    const counts = await this.#openRuns.count();
    const kept = [...this.#known].filter(([key]) => !onDisk.has(key) && counts.has(key));
    const before = this.#known;
    const known = new Map([...kept, ...onDisk]);
    const options = { ...config.worker, published: true };
    const worker = await this.#ledger.worker({ ...options, workflows: [...known.values()] });
    this.#stopCurrent();
    [this.#known, this.#worker] = [known, worker];
    return [...known].map(([key, workflow]) => {
      const state = !onDisk.has(key) ? "kept" : before.has(key) ? "same" : "new";
      return { workflow, openRuns: counts.get(key) ?? 0, state };
    });
  }

  /** As `Worker.stop`: the first call waits for running steps, the second releases their runs. */
  async stop(): Promise<void> {
    const all = [...this.#stopping, ...(this.#worker === null ? [] : [this.#worker])];
    await Promise.all(all.map((worker) => worker.stop()));
  }

  /** Running steps finish with the code they started with; the new worker runs the steps after them. */
  #stopCurrent(): void {
    const worker = this.#worker;
    if (worker === null) return;
    this.#stopping.add(worker);
    void worker.stop().finally(() => this.#stopping.delete(worker));
  }
}
