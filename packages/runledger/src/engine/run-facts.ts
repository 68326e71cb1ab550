/** What a driver knows of its run besides its state: the plan's functions, and how events of it are made. */
import { newEvent, type NewEvent, type StateStore } from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";

export interface RunFacts {
  readonly runId: string;
  readonly store: StateStore;
  readonly workflow: CompiledWorkflow;
  readonly epoch: number;
  /** The store's clock, as far as this machine knows it. */
  readonly now: () => number;
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
    eventData: data,
    emittedAt: new Date(facts.now()).toISOString(),
    ...(stepId === undefined ? {} : { stepId }),
    ...(causedBySignalId === undefined ? {} : { causedBySignalId }),
  });
}
