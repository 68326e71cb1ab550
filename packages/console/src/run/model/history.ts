/** A range of events of a run. It returns the state of the run at each of them. */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { beforeGap, evolveAll, type RunState } from "@runledger/core";

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
    return this.#events.at(-1)?.runSeq ?? this.baseSeq;
  }

  get latest(): RunState {
    return this.#last;
  }

  event(seq: number): CanonicalEngineEvent | undefined {
    const event = this.#events[this.#countUpTo(seq) - 1];
    return event?.runSeq === seq ? event : undefined;
  }

  eventsUpTo(seq: number): readonly CanonicalEngineEvent[] {
    return this.#events.slice(0, this.#countUpTo(seq));
  }

  /**
   * Appends events. Skips known events, and events after a gap (F6). Returns those that it appended.
   * @param settledSeq Missing numbers up to here will never be filled (P10).
   */
  append(events: readonly CanonicalEngineEvent[], settledSeq = 0): readonly CanonicalEngineEvent[] {
    const appended: CanonicalEngineEvent[] = [];
    const unknown = events.filter(({ runSeq }) => runSeq > this.lastSeq);
    for (const event of beforeGap(this.lastSeq, unknown, settledSeq).events) {
      if (event.runSeq <= this.lastSeq) continue; // the same event twice
      this.#events.push(event);
      appended.push(event);
      if (this.#events.length % KEYFRAME_EVERY === 0) this.#addKeyframe();
    }
    this.#last = this.#fold(this.#keyframes.length - 1, this.#events.length);
    return appended;
  }

  /** `seq` must be between `baseSeq` and `lastSeq`. */
  stateAt(seq: number): RunState {
    const count = this.#countUpTo(seq);
    return count >= this.#events.length ? this.#last : this.#fold(Math.floor(count / KEYFRAME_EVERY), count);
  }

  /** The number of events up to a seq. Events follow each other closely, so the search starts where the seq would be. */
  #countUpTo(seq: number): number {
    let count = Math.min(Math.max(0, seq - this.baseSeq), this.#events.length);
    while (count > 0 && this.#events[count - 1]!.runSeq > seq) count--;
    return count;
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
