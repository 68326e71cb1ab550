/** The part of the engine that decides what to do next. A test may put another one in its place. */
import type { CanonicalEngineEvent, Plan } from "@runledger/contracts";
import { Decider, type Command, type RunState } from "@runledger/core";

/** Decides incrementally: cost depends on the new events, not on the number of steps (D4). */
export interface RunDecider {
  /** Forgets all earlier states and decides on this one. */
  restart(state: RunState): readonly Command[];
  /** Decides on the state that these events led to. */
  apply(state: RunState, events: readonly CanonicalEngineEvent[]): readonly Command[];
}

export type NewDecider = (plan: Plan) => RunDecider;

export const newDecider: NewDecider = (plan) => new Decider(plan);

export type Decide = (plan: Plan, state: RunState) => readonly Command[];

/** Makes a decider without memory from a function that decides on a whole state. */
export function statelessDecider(decide: Decide): NewDecider {
  return (plan) => ({ restart: (state) => decide(plan, state), apply: (state) => decide(plan, state) });
}
