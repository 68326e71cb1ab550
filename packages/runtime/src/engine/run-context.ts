/** The parts of a run that do not change while a worker drives it, and how its events are made. */
import {
  newEvent,
  omitUndefined,
  type Json,
  type JsonObject,
  type NewEvent,
  type StateStore,
} from "@runledger/contracts";
import type { EventDraft } from "@runledger/core";
import type { Logger } from "../telemetry/logger.js";
import type { RecentEvents } from "../runs/recent-events.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { WriteBudget } from "./budget/write-budget.js";
import type { EventOrigin } from "./event-origin.js";
import type { EngineMetrics } from "./engine-metrics.js";
import type { Redactor } from "./redactor.js";
import { dropUndefined } from "../workflow/drop-undefined.js";

export interface RunContext {
  readonly runId: string;
  readonly store: StateStore;
  readonly workflow: CompiledWorkflow;
  readonly epoch: number;
  /** Identifies what executes the run; its events record it (N5). Absent if nothing is appended with this context. */
  readonly executor?: Executor;
  /** The store's time, as this worker knows it. */
  readonly now: () => number;
  /** Receives alerts for operators. */
  readonly alert?: (alert: Alert) => void;
  /** Receives errors of a step that its result does not show. */
  readonly reportFault?: (fault: Fault) => void;
  /** Limits how long an append may take (B1). Absent if there is no limit. */
  readonly budget?: WriteBudget;
  /** Requests a checkpoint with the step's completion (C2). */
  readonly requestCheckpoint?: () => void;
  /** Events between two checkpoints (C2). Default 100. */
  readonly checkpointInterval?: number;
  readonly metrics?: EngineMetrics;
  /** Receives log lines about attempts. It replaces secrets. */
  readonly logger?: Logger;
  /** Events that were just folded. If absent, steps read everything from the log. */
  readonly recentEvents?: RecentEvents;
  /** Knows the secrets that this worker has resolved. Absent if it resolves none. */
  readonly redactor?: Redactor;
}

/** The version and the reference that events record. */
export interface Executor {
  /** Engine and version, such as `embedded-v1.2.3`. */
  readonly adapterVersion: string;
  /** Id of the run on the platform that executes it. Contains the epoch, so that each owner has another one. */
  readonly engineRunRef: { readonly engine: string; readonly epoch: number } & Readonly<
    Record<string, string | number>
  >;
  /** The platform's attempt of the work that writes. Absent if only the log counts the attempts. */
  readonly attempt?: number;
}

/** An unexpected error. The worker continues. */
export interface Fault {
  /** Absent if the worker itself failed. */
  readonly runId?: string;
  /** Set if the code of a step failed outside of its result. */
  readonly stepId?: string;
  readonly error: unknown;
}

export interface Alert {
  readonly code:
    | "APPEND_BUDGET_EXCEEDED"
    | "CHECKPOINT_MISSING"
    | "CHECKPOINT_UNUSABLE"
    | "CHECKPOINT_LARGE"
    | "EVENTS_LOST"
    | "PROJECTOR_GAP_DETECTED"
    | "RUN_ISOLATED"
    | "SIGNALS_UNTAKEN";
  readonly runId: string;
  readonly message: string;
  /** `critical` if an operator must act. Defaults to `warning`. */
  readonly severity?: "critical" | "warning";
}

export function toEvent(context: RunContext, draft: EventDraft, origin: EventOrigin): NewEvent {
  const { runId, workflow, executor } = context;
  const { eventType, stepId, attempt, data = {}, causedBySignalId } = draft;
  return newEvent({
    runId,
    planId: workflow.plan.planId,
    planVersion: workflow.plan.planVersion,
    eventType,
    logicalAttemptId: String(attempt),
    eventData: recordable(context, data),
    emittedAt: new Date(context.now()).toISOString(),
    ...omitUndefined({ stepId, causedBySignalId, adapterVersion: executor?.adapterVersion, ...origin }),
  });
}

/** Drops undefined properties and replaces secrets before the data is written, and marks redacted data (S1). */
export function recordable({ redactor }: RunContext, data: Json): Json {
  const plain = dropUndefined(data);
  const clean = redactor?.json(plain) ?? plain;
  return clean === plain ? plain : { ...(clean as JsonObject), redacted: true };
}
