export { evolve, evolveAll } from "./fold/evolve.js";
export { initialState, isTerminal, toRunHeader, toRunState, type RunDetails, type RunState } from "./fold/run-state.js";
export { createSnapshotProjector } from "./fold/snapshot-projector.js";
export { StepTable } from "./fold/step-table.js";
export { fromRunSnapshot, toRunSnapshot } from "./fold/to-run-snapshot.js";
export { actions, stepsToRetry, type Action } from "./decide/actions.js";
export type { Command, EventDraft, StepCommand } from "./decide/commands.js";
export { decide } from "./decide/decide.js";
export { instanceId, pathOf, prefixOf } from "./decide/instance-ids.js";
export { indexPlan } from "./decide/plan-index.js";
export { retryDelay } from "./decide/retry.js";
export { UNDO } from "./decide/stopping.js";
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
