export type * from "@runledger/core"; // signatures of this package mention these types
export { serveMcp, type McpOptions } from "./serve.js";
export type {
  ActionPreview,
  ActionTarget,
  DifferingRun,
  ListedRuns,
  McpBackend,
  QueueReasons,
  RunDifference,
  RunsFilter,
  RunsPage,
  StepDifference,
  StepOutcome,
} from "./backend.js";
export type { Redact } from "./clean.js";
