export type * from "@runledger/contracts"; // signatures of this package mention these types
export { prepareCall, type AppendCall, type RunAppend, type RunOutcome, type Scope } from "./append-call.js";
export {
  checkedAccess,
  checkedArchive,
  checkedAudit,
  checkedCheckpoints,
  checkedFeed,
  checkedLeases,
  checkedPlans,
  checkedSchedules,
  checkedSnapshots,
  type AssertOpen,
} from "./checked-ports.js";
export { countStarts, startsPerSecond, type StartRate } from "../admission/start-rate.js";
export { Capacity, keyLimit, limitFor, type Usage } from "../admission/capacity.js";
export {
  inServingOrder,
  nextTurn,
  type QueuedRun,
  type Rotation,
  type TenantTurn,
} from "../admission/tenant-rotation.js";
export { bucketMs, checkedIndex, noRuns, type IndexOperations, type IndexPlace } from "./checked-index.js";
export type { BatchLimits } from "./batch.js";
export { resultsOf } from "./call-results.js";
export { checkedCopies, type CheckedCopy, type CopiedEvent, type WriteCopies } from "./checked-copies.js";
export { checkedLimits } from "./checked-limits.js";
export { checkedErasure } from "./checked-erasure.js";
export { checkedRetention } from "./checked-retention.js";
export { checkedOutbox } from "./checked-outbox.js";
export { checkedAlerts } from "./checked-alerts.js";
export { checkedDatasets } from "./checked-datasets.js";
export { checkedExpiry } from "./checked-expiry.js";
export { checkedTriggers } from "./checked-triggers.js";
export { checkedQueue } from "./checked-queue.js";
export { Coalescer, type CoalescerOptions, type SendBatch } from "./coalescer.js";
export { isKeyframeDue, KEYFRAME_EVERY } from "./keyframe-due.js";
export { mergePatch } from "../fold/merge-patch.js";
export { MAX_STATE_BYTES } from "./state-limit.js";
export { isFencedOff } from "./lease-fence.js";
export { labelKey, toIndexRow, type IndexRow } from "./index-row.js";
export { type FetchParams, type LogOperations, type Tenant } from "./log-operations.js";
export { projectLog } from "./project-log.js";
export { StoreLog } from "./store-log.js";
export { verdictRefusal, type LockedRun } from "./verdict-holds.js";
