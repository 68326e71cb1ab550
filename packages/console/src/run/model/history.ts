/** A range of events of a run. It returns the state of the run at each of them. */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { evolveAll, type RunState } from "@runledger/core";

/** A state is kept after every 500 events. States in between are folded from the last one. */
const KEYFRAME_EVERY = 500;

export class History {
  readonly #events: CanonicalEngineEvent[] = [];
  /** The state after `index * KEYFRAME_EVERY` events. */
  readonly #keyframes: RunState[];
  #last: RunState;

  /** The range starts after this state. */
  constructor(base: RunState) {
    this.#last = base;
    this.#keyframes = [base];
  }

  /** The seq of the state before the first event. */
  get baseSeq(): number {
    return this.#keyframes[0]!.lastEventSeq;
  }

  /** The seq of the last event. All events after `baseSeq` up to this one are loaded. */
  get lastSeq(): number {
    return this.baseSeq + this.#events.length;
  }

  get latest(): RunState {
    return this.#last;
  }

  event(seq: number): CanonicalEngineEvent | undefined {
    return this.#events[seq - this.baseSeq - 1];
  }

  eventsUpTo(seq: number): readonly CanonicalEngineEvent[] {
    return this.#events.slice(0, Math.max(0, seq - this.baseSeq));
  }

  /** Appends events. Skips known events, and events after a gap (F6). Returns those that it appended. */
  append(events: readonly CanonicalEngineEvent[]): readonly CanonicalEngineEvent[] {
    const appended: CanonicalEngineEvent[] = [];
    for (const event of events) {
      if (event.runSeq !== this.lastSeq + 1) continue;
      this.#events.push(event);
      appended.push(event);
      if (this.#events.length % KEYFRAME_EVERY === 0) this.#addKeyframe();
    }
    this.#last = this.#fold(this.#keyframes.length - 1, this.#events.length);
    return appended;
  }

  /** `seq` must be between `baseSeq` and `lastSeq`. */
  stateAt(seq: number): RunState {
    const count = seq - this.baseSeq;
    return count >= this.#events.length ? this.#last : this.#fold(Math.floor(count / KEYFRAME_EVERY), count);
  }

  #addKeyframe(): void {
    this.#keyframes.push(this.#fold(this.#keyframes.length - 1, this.#events.length));
  }

  #fold(keyframe: number, toCount: number): RunState {
    const state = this.#keyframes[keyframe]!;
    const from = keyframe * KEYFRAME_EVERY;
    return from === toCount ? state : evolveAll(state, this.#events.slice(from, toCount));
  }
}
