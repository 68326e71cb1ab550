export { migrationScript } from "./migrate.js";
export { PostgresStore, type PostgresStoreOptions } from "./store.js";
