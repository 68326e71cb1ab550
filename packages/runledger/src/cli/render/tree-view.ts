import { readEventData, type CanonicalEngineEvent, type Plan, type StepFailedData } from "@runledger/contracts";
import type { RunState } from "@runledger/core";

/** The latest failed attempt of a step. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly code: string;
  readonly ms: number | null;
  readonly failure: StepFailedData;
}

/** The data that a tree is drawn from. */
export interface TreeView {
  readonly state: RunState;
  /** `null` if the plan is not available; then only started steps are known. */
  readonly plan: Plan | null;
  /** By step. The fold keeps the current attempt only. */
  readonly failed: ReadonlyMap<string, FailedAttempt>;
  readonly now: number;
}

/** Collects each step's latest failed attempt from the events. */
export class FailedAttempts {
  readonly byStep = new Map<string, FailedAttempt>();
  readonly #startedAt = new Map<string, number>();

  add({ eventType, stepId, logicalAttemptId, emittedAt, eventData }: CanonicalEngineEvent): void {
    if (stepId === undefined) return;
    if (eventType === "StepStarted") this.#startedAt.set(stepId, Date.parse(emittedAt));
    if (eventType === "StepCompleted") this.#startedAt.delete(stepId);
    if (eventType !== "StepFailed") return;
    const startedAt = this.#startedAt.get(stepId);
    const failure = readEventData("StepFailed", eventData);
    const ms = startedAt === undefined ? null : Date.parse(emittedAt) - startedAt;
    this.byStep.set(stepId, { attempt: Number(logicalAttemptId ?? 1), code: failure.error.code, ms, failure });
  }
}
