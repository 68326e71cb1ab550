export type * from "@runledger/contracts"; // signatures of this package mention these types
export { evolve, evolveAll } from "./fold/evolve.js";
export { CompletedSteps, type IndexRange } from "./fold/completed-steps.js";
export { assertComplete, assertNext, beforeGap, type LogPrefix } from "./fold/log-gap.js";
export { namedSteps } from "./fold/named-steps.js";
export { initialState, isTerminal, toRunHeader, toRunState, type RunDetails, type RunState } from "./fold/run-state.js";
export { createSnapshotProjector } from "./fold/snapshot-projector.js";
export { untakenSignals } from "./fold/untaken-signals.js";
export { StepTable } from "./fold/step-table.js";
export { fromRunSnapshot, toRunSnapshot } from "./fold/to-run-snapshot.js";
export { waitOf } from "./decide/body-walk.js";
export { actions, type Action } from "./decide/actions.js";
export { compactSteps } from "./decide/compact-steps.js";
export type { Command, EventDraft, StepCommand } from "./decide/commands.js";
export { CHECKPOINT_FORMAT, compact, fromCheckpoint, toCheckpoint } from "./checkpoint/checkpoint.js";
export { hasRoomFor, judgeSignal, MAX_UNTAKEN, nextSignalAt } from "./decide/judge-signal.js";
export { judgeAction, type RequestedAction, type ActionVerdict } from "./decide/judge-action.js";
export { decide, pendingFailure, rootCause } from "./decide/decide.js";
export { Decider } from "./decide/decider.js";
export { forkScope, lostSteps, type ForkScope } from "./decide/fork-scope.js";
export { instanceId, pathOf, prefixOf, UNDO } from "./decide/instance-ids.js";
export { indexPlan, isInner, isInstance } from "./decide/plan-index.js";
export { stepsToRetry } from "./decide/retry-scope.js";
export { retryDelay } from "./decide/retry.js";
export { withoutSlot } from "./decide/without-slot.js";
export {
  keysBetween,
  knownRange,
  MAX_PARTITION_KEY,
  partitionAt,
  partitionOf,
  partitionPlace,
  type PlaceRange,
} from "./plan/partition-keys.js";
export { isTimeZone } from "./plan/time-zone.js";
export { canonicalJson } from "./plan/canonical-json.js";
export { compilePlan, type CompileOptions } from "./plan/compile-plan.js";
export type { DefinitionDataset, DefinitionDatasets } from "./plan/definition-datasets.js";
export type {
  Definition,
  DefinitionBody,
  DefinitionRetry,
  DefinitionStep,
  Duration,
  Origin,
  StepRef,
} from "./plan/definition.js";
export { timeoutMessage } from "./decide/drafts.js";
export { formatDuration, parseDuration } from "./duration.js";
export { answerOf, type Admission } from "./admission/answer.js";
export { explain, type Explanation, type LimitReason, type LogStanding, type WaitReason } from "./admission/explain.js";
