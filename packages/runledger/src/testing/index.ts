export type { CallPoint } from "./call-plan.js";
export type { HeldCall } from "./held-call.js";
export type { StoreCall } from "./intercept-store.js";
export type { RecordedHistory } from "./recorded-history.js";
export { testLedger, type TestLedger, type TestLedgerOptions } from "./test-ledger.js";
export type { TestRun } from "./test-run.js";
