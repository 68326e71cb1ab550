export { MemoryStore, type MemoryStoreOptions } from "./store.js";
