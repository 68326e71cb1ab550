export type * from "@runledger/contracts"; // signatures of this package mention these types
export type { OptionalPort } from "./clause.js";
export { checkHistory, type CheckOptions, type HistoryVerdict } from "./history/check-history.js";
export type { Replay } from "./history/checkpoints.js";
export type * from "./history/history.js";
export { digestOf } from "./history/digest.js";
export { mergeHistories } from "./history/merge-histories.js";
export { readEnd } from "./history/read-end.js";
export { recordHistory, type HistoryRecorder } from "./history/record-history.js";
export type { RecordOptions } from "./history/recording.js";
export { snapshotCheckpoint, snapshotReplay } from "./history/snapshot-replay.js";
export type { Invariant, Violation } from "./history/violation.js";
export { runClient, runWorkload, type ClientOptions, type WorkloadOptions } from "./history/workload.js";
export {
  stateStoreConformance,
  type ConformanceException,
  type ConformanceOptions,
  type TestBody,
  type TestRunner,
} from "./state-store-conformance.js";
