// Signatures of this package mention these types.
export type * from "@runledger/contracts";
export type * from "@runledger/core/store";
export type { AppendAuthority, AuthorityOptions } from "./authority.js";
export { migrationScript } from "./migrate.js";
export { createIndexes } from "./optional-indexes.js";
export { PostgresStore, type PostgresStoreOptions } from "./store.js";
export type { TimeLimitOptions } from "./time-limits.js";
