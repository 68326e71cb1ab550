// Signatures of this package mention these types.
export type * from "@runledger/contracts";
export type * from "@runledger/core/store";
export type { RetryLimits } from "./client.js";
export { parseDynamoUrl, type DynamoTarget } from "./connection-url.js";
export { tableDefinitions } from "./definitions.js";
export { DynamoStore, migrateTable, type DynamoStoreOptions } from "./store.js";
