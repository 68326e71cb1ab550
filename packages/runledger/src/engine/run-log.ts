/**
 * The log of a run that this worker owns, and its fold.
 *  O2  A decision is made on the fold of everything up to the head: after each append the first seq must be the next
 *      one, else what came in between is read first. A run's status changes only at the head that was folded.
 */
import { RetryError, SeqMismatchError, type CanonicalEngineEvent, type NewEvent } from "@runledger/contracts";
import { evolve, evolveAll, initialState, isTerminal, type EventDraft, type RunState } from "@runledger/core";
import { toEvent, type RunFacts } from "./run-facts.js";

/**
 * `next`: on record, right behind what was folded. `elsewhere`: on record, but others came in between or had written it
 * before; the fold is current, and what to do is to be decided anew. `refused`: not on record, the fold is current.
 */
export type Recorded = "next" | "elsewhere" | "refused";

export class RunLog {
  readonly #facts: RunFacts;
  state: RunState;

  constructor(facts: RunFacts) {
    this.#facts = facts;
    this.state = initialState(facts.runId);
  }

  async catchUp(): Promise<void> {
    const { store, runId } = this.#facts;
    for await (const event of store.streamEvents(runId, { afterSeq: this.state.lastEventSeq })) {
      this.state = evolve(this.state, event);
    }
  }

  /** The state that these would lead to. */
  ahead(drafts: readonly EventDraft[]): RunState {
    const events = drafts.map((draft) => toEvent(this.#facts, draft));
    return evolveAll(this.state, numbered(events, this.state.lastEventSeq));
  }

  async append(drafts: readonly EventDraft[], changesStatus: boolean): Promise<Recorded> {
    const { store, epoch } = this.#facts;
    const { lastEventSeq, details } = this.state;
    const ends = changesStatus && isTerminal(this.ahead(drafts).status);
    const events = drafts.map((draft) => toEvent(this.#facts, draft));
    try {
      const results = await store.appendEvents(events, {
        fence: epoch,
        ...(changesStatus ? { expectedSeq: lastEventSeq } : {}),
        ...(ends ? { ends, wakes: details.parent === undefined ? [] : [details.parent.runId] } : {}),
      });
      const next = results.every(({ runSeq, idempotent }, i) => !idempotent && runSeq === lastEventSeq + 1 + i);
      if (next) this.state = evolveAll(this.state, numbered(events, lastEventSeq));
      else await this.catchUp();
      return next ? "next" : "elsewhere";
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error;
      await this.catchUp();
      return "refused";
    }
  }
}

/** The events as the log will give them back, for a fold that need not read them again. */
function numbered(events: readonly NewEvent[], afterSeq: number): CanonicalEngineEvent[] {
  return events.map((event, index) => ({ ...event, runSeq: afterSeq + 1 + index }));
}

export function isRetry(error: unknown): error is RetryError {
  return error instanceof RetryError;
}
