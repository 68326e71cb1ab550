// Signatures of this package mention these types.
export type * from "@runledger/contracts";
export type * from "@runledger/core/store";
export { parseSnowflakeUrl, type Credentials, type Shape, type SnowflakeTarget } from "./connection-url.js";
export { migrationScript } from "./migrate.js";
export { SnowflakeStore, type SnowflakeStoreOptions } from "./store.js";
