export type {
  Command,
  CompletedSteps,
  EventDraft,
  IndexRange,
  RunDetails,
  RunState,
  StepCommand,
  StepTable,
} from "@runledger/core";
export type { Decide } from "../engine/decider.js";
export type { CallPoint } from "./call-plan.js";
export type { Held, HeldCall } from "./held-call.js";
export type { StoreCall } from "./intercept-store.js";
export type * from "./recorded-history.js";
export { testLedger, type TestLedger, type TestLedgerOptions } from "./test-ledger.js";
export type { TestRun } from "./test-run.js";
export { busConformance, type BusConformanceOptions, type BusTestRunner } from "./bus-conformance/bus-conformance.js";
export type { BusUnderTest } from "./bus-conformance/bus-clause.js";
