/**
 * Fences the attempts of one activity (T3). A worker that missed its heartbeats may resume at any time, under the same epoch
 * as the attempt that replaced it. So each attempt after the first one records a `RunTakenOver` with its step before it
 * works, and a result is appended only at a head whose log shows no later take-over of the step.
 */
import type { JsonObject } from "@runledger/contracts";
import type { EventDraft, RunState } from "@runledger/core";
import type { RunContext } from "@runledger/runtime/engine/run-context";
import { ApplicationFailure } from "@temporalio/common";
import type { Work } from "../messages.js";

/** The end of a log that is searched for lost workers. */
const TAIL = 50;

export class ActivityFence {
  readonly #context: RunContext;
  readonly #stepId: string;
  /** The head that this attempt has seen, and the number of take-overs up to there. */
  #seq = 0;
  #takeOvers = 0;

  constructor(context: RunContext, command: Work, state: RunState) {
    this.#context = context;
    this.#stepId = workedStep(command);
    this.acceptUntil(state);
  }

  /**
   * Throws if a later attempt has already taken over the step. A first attempt records no take-over, so it cannot work if
   * its worker was suspended before it looked at the log.
   *
   * @param sinceSeq The head on which the workflow requested this activity.
   */
  async assertFirst(state: RunState, sinceSeq: number): Promise<void> {
    if (takeOversIn(state) > 0) await this.#assertNotNamed(sinceSeq, state);
  }

  /** The take-over that a later attempt of the activity appends before it works. */
  takeOver(state: RunState, workerId: string): EventDraft {
    const data = { epoch: this.#context.epoch, workerId, stepsInFlight: [this.#stepId] };
    return { eventType: "RunTakenOver", attempt: takeOversIn(state) + 1, data };
  }

  /** Accepts all take-overs up to this state: the last one is its own. */
  acceptUntil(state: RunState): void {
    this.#seq = state.lastEventSeq;
    this.#takeOvers = takeOversIn(state);
  }

  /** Throws if a later attempt has taken over the step since this attempt looked at the log. */
  async assertLatest(state: RunState): Promise<void> {
    if (takeOversIn(state) === this.#takeOvers) return;
    await this.#assertNotNamed(this.#seq, state);
    this.acceptUntil(state);
  }

  async #assertNotNamed(afterSeq: number, { lastEventSeq }: RunState): Promise<void> {
    const { store, runId } = this.#context;
    for await (const event of store.streamEvents(runId, { afterSeq }))
      if (event.runSeq <= lastEventSeq && namesStep(event, this.#stepId)) throw takenOver(this.#stepId);
  }

  /** Number of workers that were lost at the end of the log while they did this work (D5). */
  async countLosses({ lastEventSeq }: RunState): Promise<number> {
    const { store, runId } = this.#context;
    const tail = await store.fetchEvents(runId, { afterSeq: Math.max(0, lastEventSeq - TAIL) });
    return tail.filter((event) => namesStep(event, this.#stepId)).length;
  }
}

/** Each iteration of a repeat is a separate step. */
export function workedStep(command: Work): string {
  return command.type === "askAgain" ? `${command.stepId}/${command.iteration}` : command.stepId;
}

function takeOversIn({ ordinals }: RunState): number {
  return ordinals["RunTakenOver"] ?? 0;
}

function namesStep(event: { readonly eventType: string; readonly eventData: unknown }, stepId: string): boolean {
  const { stepsInFlight } = (event.eventData ?? {}) as JsonObject;
  return event.eventType === "RunTakenOver" && Array.isArray(stepsInFlight) && stepsInFlight.includes(stepId);
}

function takenOver(stepId: string): ApplicationFailure {
  const message = `Another worker has taken over step ${stepId}. This worker missed its heartbeats, so its result is dropped.`;
  return ApplicationFailure.retryable(message, "TAKEN_OVER");
}
