export { prepareCall, type AppendCall, type RunAppend, type RunOutcome } from "./append-call.js";
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
} from "./checked-ports.js";
export { advance, perSecond, type Meter } from "../admission/meter.js";
export { keyLimit, limitFor, Rooms } from "../admission/rooms.js";
export { inTurn, nextTurn, type TenantTurn } from "../admission/turns.js";
export { bucketMs, checkedIndex, noRuns, type IndexOperations, type IndexPlace } from "./checked-index.js";
export { resultsOf } from "./call-results.js";
export { checkedCopies, type CheckedCopy, type CopiedEvent, type WriteCopies } from "./checked-copies.js";
export { checkedLimits } from "./checked-limits.js";
export { checkedQueue } from "./checked-queue.js";
export { Coalescer, type CoalescerOptions, type SendBatch } from "./coalescer.js";
export { isKeyframeDue, KEYFRAME_EVERY } from "./keyframe-due.js";
export { labelKey, toIndexRow, type IndexRow } from "./index-row.js";
export { type FetchParams, type LogOperations } from "./log-operations.js";
export { StoreLog } from "./store-log.js";
