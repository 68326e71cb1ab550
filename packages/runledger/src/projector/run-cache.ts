import type { Projection } from "@runledger/contracts";
import { initialState, StepTable, toRunState, type RunState } from "@runledger/core";

/** What a projector remembers of a run: its state at the stored watermark, with some of its steps. */
export interface KnownRun {
  readonly state: RunState;
  /** True = all steps are here; otherwise one that is not may be stored. */
  readonly complete: boolean;
  /** True = its header is stored with `stale`. */
  readonly isMarked: boolean;
  /** How often its projection was rebuilt. */
  readonly generation: number;
}

export function unknownRun(runId: string): KnownRun {
  return { state: initialState(runId), complete: true, isMarked: false, generation: 0 };
}

/** Of what is stored. That the projection was behind is no part of the state. */
export function storedRun({ header: { stale = false, ...header }, steps, generation = 0 }: Projection): KnownRun {
  return { state: toRunState(header, steps), complete: false, isMarked: stale, generation };
}

const MOST_RUNS = 5000;
/** Of one run: a long one is not kept whole. */
const MOST_STEPS = 1000;

/** The runs that changed last. Forgetting one costs a read, nothing else. */
export class RunCache {
  readonly #runs = new Map<string, KnownRun>();

  get(runId: string): KnownRun | undefined {
    return this.#runs.get(runId);
  }

  put(run: KnownRun): void {
    const { runId } = run.state;
    this.#runs.delete(runId); // the newest stands last
    this.#runs.set(runId, shortened(run));
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MOST_RUNS) return;
      this.#runs.delete(oldest);
    }
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  clear(): void {
    this.#runs.clear();
  }
}

function shortened(run: KnownRun): KnownRun {
  if (run.state.steps.parts().rows.length <= MOST_STEPS) return run;
  return { ...run, state: { ...run.state, steps: StepTable.empty() }, complete: false };
}
