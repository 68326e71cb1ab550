/** What a driver knows of its run besides its state: the plan's functions, and how events of it are made. */
import { newEvent, type Json, type JsonObject, type NewEvent, type StateStore } from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { EngineMetrics } from "./engine-metrics.js";
import type { Recall } from "./recall.js";
import type { Redactor } from "./redactor.js";

export interface RunFacts {
  readonly runId: string;
  readonly store: StateStore;
  readonly workflow: CompiledWorkflow;
  readonly epoch: number;
  /** The store's clock, as far as this machine knows it. */
  readonly now: () => number;
  /** Told of what an operator should look at. */
  readonly alert?: (alert: Alert) => void;
  /** A step asked for a checkpoint with its completion (C2). */
  readonly wantsCheckpoint?: () => void;
  readonly metrics?: EngineMetrics;
  /** What was just folded; absent = everything is read from the log. */
  readonly recall?: Recall;
  /** Knows the secrets that this worker has resolved; absent = it resolves none. */
  readonly redactor?: Redactor;
}

export interface Alert {
  readonly code: "CHECKPOINT_UNUSABLE" | "CHECKPOINT_LARGE";
  readonly runId: string;
  readonly message: string;
}

export function toEvent(facts: RunFacts, draft: EventDraft): NewEvent {
  const { runId, workflow, epoch } = facts;
  const { eventType, stepId, attempt, data = {}, causedBySignalId } = draft;
  return newEvent({
    runId,
    planId: workflow.plan.planId,
    planVersion: workflow.plan.planVersion,
    eventType,
    logicalAttemptId: String(attempt),
    engineAttemptId: String(epoch),
    eventData: withoutSecrets(facts, data),
    emittedAt: new Date(facts.now()).toISOString(),
    ...(stepId === undefined ? {} : { stepId }),
    ...(causedBySignalId === undefined ? {} : { causedBySignalId }),
  });
}

/** S1: replaced before it is written, and marked. */
export function withoutSecrets({ redactor }: RunFacts, data: Json): Json {
  const clean = redactor?.json(data) ?? data;
  return clean === data ? data : { ...(clean as JsonObject), redacted: true };
}
