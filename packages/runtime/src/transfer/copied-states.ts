import type { ProjectionChange, StateStore } from "@runledger/contracts";
import { evolve, evolveAll, initialState, toRunHeader, type RunState } from "@runledger/core";
import type { RunPart } from "./copy-target.js";

/**
 * Folds the runs being copied. A store with a change feed has projectors that follow it. For a store without one, this
 * class saves the snapshots, including those that an interrupted copy left out.
 */
export class CopiedStates {
  readonly #store: StateStore;
  readonly #states = new Map<string, RunState>();
  #expected: readonly string[] = [];

  constructor(store: StateStore) {
    this.#store = store;
  }

  /** Sets the runs that the next `project` covers. */
  expect(runIds: readonly string[]): void {
    this.#expected = runIds;
  }

  async fold({ runId, afterSeq, events }: RunPart): Promise<RunState> {
    const before = this.#states.get(runId) ?? (await this.#read(runId, afterSeq));
    const state = evolveAll(before, events);
    this.#states.set(runId, state);
    return state;
  }

  async project(): Promise<void> {
    if (this.#store.feed === undefined) await this.#save();
    this.#states.clear();
    this.#expected = [];
  }

  async #save(): Promise<void> {
    const asked = this.#expected.map((runId) => ({ runId, stepIds: [] }));
    const stored = await this.#store.snapshots.readProjections(asked);
    const seqs = new Map(asked.map(({ runId }, index) => [runId, stored[index]?.header.lastEventSeq ?? 0]));
    const heads = await this.#store.fetchHeads(this.#expected);
    const behind = heads.filter(({ runId, headSeq }) => seqs.get(runId)! < headSeq);
    const changes = behind.map(({ runId, headSeq }) => this.#change(runId, headSeq, seqs.get(runId)!));
    await this.#store.snapshots.saveProjections(await Promise.all(changes));
  }

  async #change(runId: string, headSeq: number, readSeq: number): Promise<ProjectionChange> {
    const known = this.#states.get(runId);
    const state = known?.lastEventSeq === headSeq ? known : await this.#read(runId, headSeq);
    return { readSeq, header: toRunHeader(state), steps: state.steps.rows() };
  }

  async #read(runId: string, toSeq: number): Promise<RunState> {
    let state = initialState(runId);
    if (toSeq > 0) for await (const event of this.#store.streamEvents(runId, { toSeq })) state = evolve(state, event);
    return state;
  }
}
