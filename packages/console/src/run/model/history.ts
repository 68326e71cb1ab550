/** A stretch of a run's events, and the run as it was known at any of them. */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { evolveAll, type RunState } from "@runledger/core";

/** States this many events apart are kept; what lies between is folded again. */
const KEYFRAME_EVERY = 500;

export class History {
  readonly #events: CanonicalEngineEvent[] = [];
  /** The state after `index * KEYFRAME_EVERY` events. */
  readonly #keyframes: RunState[];
  #last: RunState;

  /** What happened after this state. */
  constructor(base: RunState) {
    this.#last = base;
    this.#keyframes = [base];
  }

  /** What is known without an event of this stretch. */
  get baseSeq(): number {
    return this.#keyframes[0]!.lastEventSeq;
  }

  /** Events behind `baseSeq` up to this one are here. */
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

  /** Takes those that come next. What is known is passed over; what lies behind a gap is not taken (F6). */
  append(events: readonly CanonicalEngineEvent[]): readonly CanonicalEngineEvent[] {
    const taken: CanonicalEngineEvent[] = [];
    for (const event of events) {
      if (event.runSeq !== this.lastSeq + 1) continue;
      this.#events.push(event);
      taken.push(event);
      if (this.#events.length % KEYFRAME_EVERY === 0) this.#addKeyframe();
    }
    this.#last = this.#fold(this.#keyframes.length - 1, this.#events.length);
    return taken;
  }

  /** Of a seq from `baseSeq` to `lastSeq`. */
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
