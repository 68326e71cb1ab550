export type {
  AccessRole,
  accessRoles,
  AuditActorKind,
  AuditEntry as NewAuditEntry,
  CancelledRun,
  CompletedRun,
  ErasedBy,
  ErrorCode,
  errorCodes,
  ErrorFamily,
  FailedRun,
  FailedStep,
  ForkOrigin,
  Grant,
  Json,
  LimitScope,
  limitScopes,
  LimitTarget,
  OnlyFields,
  InnerStep,
  Opened,
  PendingAction,
  PendingStep,
  RunFields,
  RunledgerError,
  RunningStep,
  RunResultFields,
  RunStatus,
  SkippedStep,
  StepFields,
  StepResultFields,
  StepSnapshot,
  SucceededStep,
  UnfinishedRun,
} from "@runledger/contracts"; // signatures of this package mention these types
export type * from "./api-types.js";
export { RunledgerClient, type ActionName, type FollowOptions, type RunListMessage } from "./client.js";
export { ProblemError } from "./problem-error.js";
export type { RetryOptions } from "./retry.js";
export type { Labels, RunListQuery, StreamListQuery, WithLabels } from "./run-queries.js";
export type { StreamOptions } from "./stream.js";
export type { ClientOptions } from "./transport.js";
export type { Watched, WatchedList, WatchMessage } from "./watch.js";
