import type { CanonicalEngineEvent, JsonObject, Plan } from "@runledger/contracts";
import type { RunState } from "@runledger/core";

/** How an attempt that was tried again had ended. */
export interface LostAttempt {
  readonly attempt: number;
  readonly code: string;
  readonly ms: number | null;
}

/** A run as a tree is drawn of it. */
export interface TreeView {
  readonly state: RunState;
  /** Null = no plan is at hand: then only steps that have begun are known. */
  readonly plan: Plan | null;
  /** By step: the fold keeps the current attempt only. */
  readonly lost: ReadonlyMap<string, LostAttempt>;
  readonly now: number;
}

/** Remembers, of the events that pass, how each step's latest failed attempt ended. */
export class LostAttempts {
  readonly byStep = new Map<string, LostAttempt>();
  readonly #startedAt = new Map<string, number>();

  see({ eventType, stepId, logicalAttemptId, emittedAt, eventData }: CanonicalEngineEvent): void {
    if (stepId === undefined) return;
    if (eventType === "StepStarted") this.#startedAt.set(stepId, Date.parse(emittedAt));
    if (eventType === "StepCompleted") this.#startedAt.delete(stepId);
    if (eventType !== "StepFailed") return;
    const startedAt = this.#startedAt.get(stepId);
    const { code = "FAILED" } = ((eventData as JsonObject | null)?.["error"] ?? {}) as { code?: string };
    const ms = startedAt === undefined ? null : Date.parse(emittedAt) - startedAt;
    this.byStep.set(stepId, { attempt: Number(logicalAttemptId ?? 1), code, ms });
  }
}
