export { evolve, evolveAll } from "./fold/evolve.js";
export { namedSteps } from "./fold/named-steps.js";
export { initialState, isTerminal, toRunHeader, toRunState, type RunDetails, type RunState } from "./fold/run-state.js";
export { createSnapshotProjector } from "./fold/snapshot-projector.js";
export { StepTable } from "./fold/step-table.js";
export { fromRunSnapshot, toRunSnapshot } from "./fold/to-run-snapshot.js";
export { waitOf } from "./decide/body-walk.js";
export { actions, type Action } from "./decide/actions.js";
export { compactSteps } from "./decide/compact-steps.js";
export type { Command, EventDraft, StepCommand } from "./decide/commands.js";
export { CHECKPOINT_FORMAT, compact, fromCheckpoint, toCheckpoint } from "./checkpoint/checkpoint.js";
export { judgeAction, type Verdict } from "./decide/judge-action.js";
export { decide } from "./decide/decide.js";
export { Decider } from "./decide/decider.js";
export { forkScope, lostSteps, type ForkScope } from "./decide/fork-scope.js";
export { instanceId, pathOf, prefixOf, UNDO } from "./decide/instance-ids.js";
export { indexPlan, isInstance } from "./decide/plan-index.js";
export { stepsToRetry } from "./decide/retry-scope.js";
export { retryDelay } from "./decide/retry.js";
export { withoutSlot } from "./decide/without-slot.js";
export { compilePlan, type CompileOptions } from "./plan/compile-plan.js";
export type {
  Definition,
  DefinitionBody,
  DefinitionRetry,
  DefinitionStep,
  Duration,
  StepRef,
} from "./plan/definition.js";
export { parseDuration } from "./plan/duration.js";
export { answerOf, type Admission } from "./admission/answer.js";
export { explain, type Explanation, type LimitReason, type LogStanding, type WaitReason } from "./admission/explain.js";
