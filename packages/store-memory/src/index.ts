// Signatures of this package mention these types.
export type * from "@runledger/contracts";
export type * from "@runledger/core/store";
export { MemoryStore, type MemoryStoreOptions } from "./store.js";
export type { Hold } from "./drawn-numbers.js";
