/**
 * An incremental `decide`: takes events as they arrive and returns what `decide` returns for the same state (D4). It
 * walks only the plan's own steps and the passes that changed, regardless of the number of items.
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

  /** By step: the containers that contain a step waiting for it. */
  readonly #watchers: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#watchers = watchers(plan);
  }

  /** Returns the commands for this state, independently of earlier ones. */
  restart(state: RunState): readonly Command[] {
    this.#memory = new PassMemory();
    return this.#decide(state);
  }

  /** Returns the commands for this state, which these events produced from the previous one. */
  apply(state: RunState, events: readonly CanonicalEngineEvent[]): readonly Command[] {
    for (const event of events) this.#touch(event);
    return this.#decide(state);
  }

  #decide(state: RunState): readonly Command[] {
    if (state.details.signals !== undefined) this.#memory.touchAll(); // the assignment of a signal depends on all waiting steps
    return decideWith(this.#plan, state, this.#memory);
  }

  #touch({ eventType, stepId }: CanonicalEngineEvent): void {
    if (eventType === "StepsReset" || eventType === "RunReopened")
      this.#memory = new PassMemory(); // completed passes may be open again
    else if (stepId === undefined) this.#memory.touchAll();
    else {
      this.#memory.touch(stepId);
      for (const path of this.#watchers.get(pathOf(stepId)) ?? []) this.#memory.touchContainers(path, stepId);
    }
  }
}
