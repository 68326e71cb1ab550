/**
 * The worker of `dev`, changed for another one when the project's code has changed.
 *  D7  A run never changes its version. What new runs use is the code on disk; a version that is no longer there, and
 *      still has open runs, keeps the code it was loaded with for as long as `dev` lives.
 */
import type { Project } from "../config/load-project.js";
import type { Worker } from "../engine/worker.js";
import type { Ledger } from "../ledger/ledger.js";
import type { AnyWorkflow } from "../workflow/types.js";
import { OpenRuns, versionKey } from "./open-runs.js";
import { workerVoice } from "./worker-voice.js";

/** What a reload means for one workflow's open runs. */
export interface Fate {
  readonly workflow: AnyWorkflow;
  readonly openRuns: number;
  /** `new`: on disk, and was not before. `same`: on disk, as before. `kept`: no longer on disk. */
  readonly state: "new" | "same" | "kept";
}

export class DevWorkers {
  readonly #ledger: Ledger;
  readonly #openRuns: OpenRuns;
  #known: ReadonlyMap<string, AnyWorkflow> = new Map();
  #worker: Worker | null = null;
  /** Workers of earlier code that finish what they were doing. */
  readonly #leaving = new Set<Worker>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#openRuns = new OpenRuns(ledger.store);
  }

  /** What can be run here at the moment, earlier versions first. */
  get workflows(): readonly AnyWorkflow[] {
    return [...this.#known.values()];
  }

  /** Runs of versions that nobody here has the code of. */
  async strangers(): Promise<ReadonlyMap<string, number>> {
    const counts = await this.#openRuns.count();
    return new Map([...counts].filter(([key]) => !this.#known.has(key)));
  }

  /** Throws PLAN_VERSION_TAKEN where a version no longer says what it said; then nothing has changed. */
  async use({ workflows, config }: Project): Promise<Fate[]> {
    const onDisk = new Map(workflows.map(({ workflow }) => [versionKey(workflow.id, workflow.version), workflow]));
    const counts = await this.#openRuns.count();
    const kept = [...this.#known].filter(([key]) => !onDisk.has(key) && counts.has(key));
    const before = this.#known;
    const known = new Map([...kept, ...onDisk]);
    const options = { ...workerVoice(), ...config.worker, published: true };
    const worker = await this.#ledger.worker({ ...options, workflows: [...known.values()] });
    this.#leave();
    [this.#known, this.#worker] = [known, worker];
    return [...known].map(([key, workflow]) => {
      const state = !onDisk.has(key) ? "kept" : before.has(key) ? "same" : "new";
      return { workflow, openRuns: counts.get(key) ?? 0, state };
    });
  }

  /** As a worker's: the first time it waits for running steps, the second time it hands them over. */
  async stop(): Promise<void> {
    const all = [...this.#leaving, ...(this.#worker === null ? [] : [this.#worker])];
    await Promise.all(all.map((worker) => worker.stop()));
  }

  /** Steps that run finish with the code they began with; whatever comes after them is the new worker's. */
  #leave(): void {
    const worker = this.#worker;
    if (worker === null) return;
    this.#leaving.add(worker);
    void worker.stop().finally(() => this.#leaving.delete(worker));
  }
}
