import { idempotencyKey, LogGapError, type CanonicalEngineEvent, type StateStore } from "@runledger/contracts";
import { assertComplete, evolve, initialState, type RunState } from "@runledger/core";

/** Finds faults of a log itself, which no rebuild of derived data can correct. */
export class LogFaults {
  readonly #runId: string;
  readonly #faults: string[] = [];
  readonly #keys = new Map<string, number>();
  #last: CanonicalEngineEvent | null = null;
  /** The first event that was stored before its predecessor. Clocks may do that too, so it counts only with a difference. */
  #swapped: string | null = null;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** Folds the log up to its first gap. */
  async fold(store: StateStore, headSeq: number, onState: (state: RunState) => void): Promise<RunState> {
    let state = initialState(this.#runId);
    try {
      for await (const event of store.streamEvents(this.#runId, { toSeq: headSeq })) {
        this.#check(event);
        state = evolve(state, event);
        onState(state);
      }
      if (store.capabilities.contiguous) assertComplete(this.#runId, state.lastEventSeq, headSeq);
    } catch (error) {
      if (!(error instanceof LogGapError)) throw error;
      const { from, to } = error.gap;
      this.#faults.push(from === to ? `event ${from} is missing` : `events ${from} to ${to} are missing`);
    }
    for (const seq of (await store.derived?.changedEvents(this.#runId)) ?? [])
      if (seq <= headSeq) this.#faults.push(`event ${seq} was changed after it was stored`);
    return state;
  }

  /** One text per fault. `isDifferent` is `true` if derived data was made from other events than the log now has. */
  found(isDifferent: boolean): readonly string[] {
    return isDifferent && this.#swapped !== null ? [...this.#faults, this.#swapped] : this.#faults;
  }

  #check(event: CanonicalEngineEvent): void {
    const { runSeq, idempotencyKey: key } = event;
    if (key !== keyOf(event)) this.#faults.push(`event ${runSeq}: its key does not match its content`);
    const twin = this.#keys.get(key);
    if (twin !== undefined) this.#faults.push(`event ${runSeq}: event ${twin} has the same key`);
    this.#keys.set(key, runSeq);
    const [before, now] = [this.#last?.persistedAt, event.persistedAt];
    if (before !== undefined && now !== undefined && now < before)
      this.#swapped ??= `event ${runSeq} was stored before event ${runSeq - 1}: their order was changed`;
    this.#last = event;
  }
}

function keyOf({ runId, stepId, logicalAttemptId = "", eventType, planVersion = "" }: CanonicalEngineEvent): string {
  return idempotencyKey({ runId, stepId, logicalAttemptId, eventType, planVersion });
}
