export { MemoryStore, type MemoryStoreOptions } from "./store.js";
export type { Hold } from "./drawn-numbers.js";
