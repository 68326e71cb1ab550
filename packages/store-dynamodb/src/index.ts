export { tableDefinitions } from "./definitions.js";
export { DynamoStore, migrateTable, type DynamoStoreOptions } from "./store.js";
export type { RetryLimits } from "./client.js";
export { parseDynamoUrl, type DynamoTarget } from "./connection-url.js";
