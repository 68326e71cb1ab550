export { PostgresStore, type PostgresStoreOptions } from "./store.js";
