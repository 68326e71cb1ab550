/** The folded logs of the runs that this process works on. Each read continues where the last one ended. */
import type { FullStateStore } from "@runledger/contracts";
import { evolveAll, fromCheckpoint, initialState, type RunState } from "@runledger/core";
import { ParentEvents } from "@runledger/runtime/engine/parent-events";
import { wholeLog } from "@runledger/runtime/runs/settled-log";

/** Runs whose state is kept in memory. */
const MAX_RUNS = 500;

/** A run at the head of its log. */
export interface FoldedRun {
  readonly state: RunState;
  readonly parents: ParentEvents;
}

export class FoldedRuns {
  readonly #store: FullStateStore;
  readonly #runs = new Map<string, FoldedRun>();

  constructor(store: FullStateStore) {
    this.#store = store;
  }

  async read(runId: string): Promise<FoldedRun> {
    const known = this.#runs.get(runId);
    const { state, parents } = known ?? (await this.#restore(runId));
    const afterSeq = state.lastEventSeq - (known === undefined ? 1 : 0); // the last event of a checkpoint is a parent (N5)
    const events = [];
    for await (const event of wholeLog(this.#store, runId, Math.max(0, afterSeq))) {
      parents.add(event);
      if (event.runSeq > state.lastEventSeq) events.push(event);
    }
    return this.#keep({ state: events.length === 0 ? state : evolveAll(state, events), parents });
  }

  async #restore(runId: string): Promise<FoldedRun> {
    const checkpoint = (await this.#store.checkpoints?.loadCheckpoint(runId)) ?? null;
    const state = (checkpoint === null ? null : fromCheckpoint(checkpoint)) ?? initialState(runId);
    return { state, parents: new ParentEvents() };
  }

  #keep(run: FoldedRun): FoldedRun {
    const { runId, lastEventSeq } = run.state;
    if ((this.#runs.get(runId)?.state.lastEventSeq ?? -1) > lastEventSeq) return run;
    this.#runs.delete(runId);
    this.#runs.set(runId, run);
    if (this.#runs.size > MAX_RUNS) this.#runs.delete(this.#runs.keys().next().value!);
    return run;
  }
}
