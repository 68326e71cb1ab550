export { temporalEngine } from "./temporal-engine.js";
export type { TemporalOptions } from "@runledger/runtime/engine/temporal-options";
export type { Engine } from "@runledger/runtime/engine/engine";
