export { evolve, evolveAll } from "./fold/evolve.js";
export { initialState, isTerminal, toRunHeader, toRunState, type RunDetails, type RunState } from "./fold/run-state.js";
export { createSnapshotProjector } from "./fold/snapshot-projector.js";
export { StepTable } from "./fold/step-table.js";
export { fromRunSnapshot, toRunSnapshot } from "./fold/to-run-snapshot.js";
