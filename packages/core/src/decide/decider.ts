/**
 * `decide` for a run that goes on: takes events as they come, and says what `decide` says of the same state (D4). It
 * looks at the plan's own steps and at what was touched, however many items there were and are still to come.
 */
import type { CanonicalEngineEvent, Plan } from "@runledger/contracts";
import type { RunState } from "../fold/run-state.js";
import type { Command } from "./commands.js";
import { decideWith } from "./decide.js";
import { pathOf } from "./instance-ids.js";
import { PassMemory } from "./passes.js";
import { watchers } from "./watchers.js";

export class Decider {
  readonly #plan: Plan;
  #memory = new PassMemory();

  /** By step: the containers in which something waits for it. */
  readonly #watchers: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#watchers = watchers(plan);
  }

  /** What is to be so in this state, whatever it was before. */
  restart(state: RunState): readonly Command[] {
    this.#memory = new PassMemory();
    return this.#decide(state);
  }

  /** What is to be so in this state, to which these events led from the one before. */
  apply(state: RunState, events: readonly CanonicalEngineEvent[]): readonly Command[] {
    for (const event of events) this.#touch(event);
    return this.#decide(state);
  }

  #decide(state: RunState): readonly Command[] {
    if (state.details.signals !== undefined) this.#memory.touchAll(); // who gets one depends on who else waits
    return decideWith(this.#plan, state, this.#memory);
  }

  #touch({ eventType, stepId }: CanonicalEngineEvent): void {
    if (eventType === "StepsReset" || eventType === "RunReopened")
      this.#memory = new PassMemory(); // what was done is not
    else if (stepId === undefined) this.#memory.touchAll();
    else {
      this.#memory.touch(stepId);
      for (const path of this.#watchers.get(pathOf(stepId)) ?? []) this.#memory.touchContainers(path, stepId);
    }
  }
}
