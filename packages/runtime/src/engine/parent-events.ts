/**
 * Finds the event that an event follows from (N5). The end of an attempt follows from its start. Every other event follows
 * from the last event that the engine knew when it decided. Steps that start together do not follow from each other, but
 * from the container that starts with them.
 */
import type { CanonicalEngineEvent, NewEvent } from "@runledger/contracts";

type Part = Pick<NewEvent, "eventType" | "stepId">;

export class ParentEvents {
  #lastSeq = 0;
  #lastId: string | undefined;
  /** Ids of the events that started the running attempts, by step. */
  readonly #starts = new Map<string, string>();

  /** Notes an event of the log. Ignores events that it has seen. */
  add({ runSeq, eventId, eventType, stepId }: CanonicalEngineEvent): void {
    if (runSeq <= this.#lastSeq) return;
    this.#lastSeq = runSeq;
    this.#lastId = eventId;
    if (stepId === undefined) return;
    if (eventType === "StepStarted") this.#starts.set(stepId, eventId);
    else this.#starts.delete(stepId);
  }

  /** Returns the parents of the events of one append, which follow the events that it has seen. */
  nextAppend(): AppendParents {
    return new AppendParents(this.#starts, this.#lastId);
  }
}

/** The parents of the events of one append. */
export class AppendParents {
  readonly #starts: ReadonlyMap<string, string>;
  readonly #started = new Map<string, string>();
  /** Absent if the worker has read no event of the run. */
  #cause: string | undefined;

  constructor(starts: ReadonlyMap<string, string>, cause: string | undefined) {
    this.#starts = starts;
    this.#cause = cause;
  }

  of({ eventType, stepId }: Part): string | undefined {
    if (stepId === undefined) return this.#cause;
    if (eventType === "StepStarted") return this.#started.get(containerOf(stepId)) ?? this.#cause;
    return this.#started.get(stepId) ?? this.#starts.get(stepId) ?? this.#cause;
  }

  add({ eventType, stepId, eventId }: Part & Pick<NewEvent, "eventId">): void {
    if (eventType === "StepStarted" && stepId !== undefined) this.#started.set(stepId, eventId);
    else this.#cause = eventId;
  }
}

/** A step inside a container is named `container/index/step` (K3). */
function containerOf(stepId: string): string {
  return stepId.split("/").slice(0, -2).join("/");
}
