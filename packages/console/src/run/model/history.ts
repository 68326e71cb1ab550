/** The events of a run as far as they are here, and the run as it was known at any of them. */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { evolveAll, initialState, type RunState } from "@runledger/core";

/** States this many events apart are kept; what lies between is folded again. */
const KEYFRAME_EVERY = 500;

export class History {
  readonly #runId: string;
  readonly #events: CanonicalEngineEvent[] = [];
  /** The state after `index * KEYFRAME_EVERY` events. */
  readonly #keyframes: RunState[];
  #last: RunState;

  constructor(runId: string) {
    this.#runId = runId;
    this.#last = initialState(runId);
    this.#keyframes = [this.#last];
  }

  /** Events 1 to this one are here. */
  get lastSeq(): number {
    return this.#events.length;
  }

  get latest(): RunState {
    return this.#last;
  }

  event(seq: number): CanonicalEngineEvent | undefined {
    return this.#events[seq - 1];
  }

  /** Takes those that come next. What is known is passed over; what lies behind a gap is not taken (F6). */
  append(events: readonly CanonicalEngineEvent[]): readonly CanonicalEngineEvent[] {
    const taken: CanonicalEngineEvent[] = [];
    for (const event of events) {
      if (event.runSeq !== this.#events.length + 1) continue;
      this.#events.push(event);
      taken.push(event);
      if (this.#events.length % KEYFRAME_EVERY === 0) this.#addKeyframe();
    }
    this.#last = this.#fold(this.#keyframes.length - 1, this.#events.length);
    return taken;
  }

  stateAt(seq: number): RunState {
    if (seq >= this.#events.length) return this.#last;
    return this.#fold(Math.floor(seq / KEYFRAME_EVERY), seq);
  }

  #addKeyframe(): void {
    this.#keyframes.push(this.#fold(this.#keyframes.length - 1, this.#events.length));
  }

  #fold(keyframe: number, toSeq: number): RunState {
    const state = this.#keyframes[keyframe] ?? initialState(this.#runId);
    const from = keyframe * KEYFRAME_EVERY;
    return from === toSeq ? state : evolveAll(state, this.#events.slice(from, toSeq));
  }
}
