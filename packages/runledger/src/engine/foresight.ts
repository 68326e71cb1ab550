/**
 * What follows from what happened before it is on record: the fold and the decisions, ahead of the append. A decider
 * that has been told of drafts which did not get on record starts anew.
 */
import type { CanonicalEngineEvent, Plan } from "@runledger/contracts";
import { Decider, type Command, type EventDraft, type RunState } from "@runledger/core";
import type { RunLog } from "./run-log.js";

/** What to do next, for a run that goes on. A test may put another in the place of core's. */
export interface RunDecider {
  restart(state: RunState): readonly Command[];
  apply(state: RunState, events: readonly CanonicalEngineEvent[]): readonly Command[];
}

export type NewDecider = (plan: Plan) => RunDecider;

export const newDecider: NewDecider = (plan) => new Decider(plan);

export type Decide = (plan: Plan, state: RunState) => readonly Command[];

/** One that remembers nothing, and asks of every state anew. */
export function decidingBy(decide: Decide): NewDecider {
  return (plan) => ({ restart: (state) => decide(plan, state), apply: (state) => decide(plan, state) });
}

export class Foresight {
  readonly #log: RunLog;
  readonly #decider: RunDecider;
  /** What the decider was told of and is not on record yet. */
  readonly #told = new Set<EventDraft>();
  /** Some of what it was told may never be. */
  #misled = true;

  constructor(log: RunLog, decider: RunDecider) {
    this.#log = log;
    this.#decider = decider;
  }

  /** What would be so, and what would be next, with these on record. Within a turn, drafts are only added. */
  consider(drafts: readonly EventDraft[]): { readonly state: RunState; readonly commands: readonly Command[] } {
    const state = this.#log.ahead(drafts);
    const folded = this.#log.takeFolded();
    if (this.#misled || folded === null) return { state, commands: this.#restart(state, drafts) };
    const fresh = drafts.filter((draft) => !this.#told.has(draft));
    for (const draft of fresh) this.#told.add(draft);
    return { state, commands: this.#decider.apply(state, [...folded, ...this.#log.asEvents(fresh)]) };
  }

  /** A turn begins. What was told in the last one and is not on record may never be. */
  begin(): void {
    this.#misled ||= this.#told.size > 0;
    this.#told.clear();
  }

  /** Everything that was told is on record. */
  cameTrue(): void {
    this.#told.clear();
  }

  #restart(state: RunState, drafts: readonly EventDraft[]): readonly Command[] {
    this.#misled = false;
    for (const draft of drafts) this.#told.add(draft);
    return this.#decider.restart(state);
  }
}
