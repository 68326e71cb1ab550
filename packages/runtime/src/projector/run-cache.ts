import type { Projection, StepRow } from "@runledger/contracts";
import { initialState, StepTable, toRunState, type RunState } from "@runledger/core";

/** A cached run: its state at the stored watermark, with some or all of its steps. */
export interface KnownRun {
  readonly state: RunState;
  /** `true` if the cache holds all steps. Otherwise a missing step may still be stored. */
  readonly complete: boolean;
  /** `true` if the stored header is marked `stale`. */
  readonly isMarked: boolean;
  /** Number of rebuilds of the projection. */
  readonly generation: number;
  /** The event at `state.lastEventSeq`. Absent if this process did not read it. */
  readonly lastEventId?: string;
}

export function unknownRun(runId: string): KnownRun {
  return { state: initialState(runId), complete: true, isMarked: false, generation: 0 };
}

/** Makes a cached run from a stored projection. `stale` is not part of the state. */
export function storedRun({ header: { stale = false, ...header }, steps, generation = 0 }: Projection): KnownRun {
  return { state: toRunState(header, steps), complete: false, isMarked: stale, generation };
}

const MAX_RUNS = 5000;
/** A run with more steps is cached without them. */
const MAX_STEPS = 1000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Steps are counted again once their estimate has grown by this and doubled. */
const RECOUNT_BYTES = 64 * 1024;

interface Entry {
  readonly run: KnownRun;
  /** Estimated size of the header and the steps. */
  readonly bytes: number;
  /** Estimated size of the steps. A step that changed counts each of its versions until the next count. */
  readonly stepBytes: number;
  /** The last exact count. */
  readonly counted: number;
}

/** Keeps the runs that changed last, up to a number of runs and bytes. Evicting one costs a read later. */
export class RunCache {
  readonly #runs = new Map<string, Entry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#runs.size;
  }

  runs(): KnownRun[] {
    return [...this.#runs.values()].map(({ run }) => run);
  }

  get(runId: string): KnownRun | undefined {
    return this.#runs.get(runId)?.run;
  }

  /** @param changed The steps that changed since the run was last put. */
  put(run: KnownRun, changed: readonly StepRow[] = []): void {
    const { runId } = run.state;
    const entry = entryOf(shortened(run), changed, this.#runs.get(runId));
    this.forget(runId); // re-insert as the newest
    this.#runs.set(runId, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MAX_RUNS && this.#bytes <= this.#maxBytes) return;
      this.forget(oldest);
    }
  }

  forget(runId: string): void {
    this.#bytes -= this.#runs.get(runId)?.bytes ?? 0;
    this.#runs.delete(runId);
  }

  clear(): void {
    this.#runs.clear();
    this.#bytes = 0;
  }
}

function entryOf(run: KnownRun, changed: readonly StepRow[], known: Entry | undefined): Entry {
  const { steps, ...header } = run.state;
  const grown = (known?.stepBytes ?? 0) + bytesOf(changed);
  const isEstimated = known !== undefined && grown <= RECOUNT_BYTES + 2 * known.counted;
  const stepBytes = isEstimated ? grown : bytesOf(steps.parts().rows);
  return { run, bytes: bytesOf(header) + stepBytes, stepBytes, counted: isEstimated ? known.counted : stepBytes };
}

/** Estimates the memory of plain data. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object" || value === null) return 8;
  let bytes = 32;
  for (const part of Object.values(value)) bytes += 8 + bytesOf(part);
  return bytes;
}

function shortened(run: KnownRun): KnownRun {
  if (run.state.steps.parts().rows.length <= MAX_STEPS) return run;
  return { ...run, state: { ...run.state, steps: StepTable.empty() }, complete: false };
}
