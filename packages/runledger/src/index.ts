export { defineConfig, type RunledgerConfig } from "./config/define-config.js";
export type { ArtifactRef, CanonicalEngineEvent, Json } from "@runledger/contracts";
export type { Runner, Task } from "./engine/runners.js";
export { FatalStepError, StepError } from "./engine/step-errors.js";
export type { ArtifactBody, ArtifactSource, StepArtifacts, StepProgress, StepSecrets } from "./engine/step-tools.js";
export type { Worker, WorkerOptions } from "./engine/worker.js";
export { followLog, readArtifact } from "./artifacts/read-artifact.js";
export { connect } from "./ledger/connect.js";
export type { ForkOptions } from "./ledger/fork-plan.js";
export type { ForkPreview } from "./ledger/fork-run.js";
export type { Ledger } from "./ledger/ledger.js";
export type { ListOptions, PageOptions, RunList } from "./ledger/run-list.js";
export { RunFailedError, type RunHandle } from "./ledger/run-handle.js";
export type { SendOptions } from "./ledger/signals.js";
export type { StartOptions } from "./ledger/start-run.js";
export {
  Metrics,
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricFamily,
  type MetricKind,
  type Sample,
} from "./metrics/metrics.js";
export type { LedgerLimits, LedgerQueue, LimitOptions, QueueAnswer } from "./queue/ledger-queue.js";
export { RunQueueReconciler, type ReconcilerOptions } from "./queue/reconciler.js";
export type { BackfillOptions, BackfillTick } from "./scheduler/backfill.js";
export type { ScheduleOptions } from "./scheduler/definition.js";
export type { LedgerSchedules } from "./scheduler/ledger-schedules.js";
export { Scheduler, type SchedulerFault, type SchedulerOptions } from "./scheduler/scheduler.js";
export type { Projector, ProjectorOptions } from "./projector/projector.js";
export { EnvSecrets } from "./secrets/env-secrets.js";
export type { Builder, Context, Handle, InputOf, Items, ResultOf, SignalsOf, Workflow } from "./workflow/types.js";
export { workflow } from "./workflow/workflow.js";
export { loadWorkflow, type LoadedWorkflow, type LoadOptions } from "./yaml/load-workflow.js";
