export { prepareCall, type AppendCall, type RunAppend, type RunOutcome } from "./append-call.js";
export {
  checkedArchive,
  checkedCheckpoints,
  checkedFeed,
  checkedLeases,
  checkedPlans,
  checkedSchedules,
  checkedSnapshots,
} from "./checked-ports.js";
export { Coalescer, type CoalescerOptions, type SendBatch } from "./coalescer.js";
export { type FetchParams, type LogOperations } from "./log-operations.js";
export { StoreLog } from "./store-log.js";
