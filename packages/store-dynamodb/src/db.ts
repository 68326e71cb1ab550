import type { DynamoClient } from "./client.js";
import type { HeadCache } from "./head-cache.js";
import type { Lanes } from "./lanes.js";

/** The table, and the state of this process that its functions share. */
export interface Db {
  readonly client: DynamoClient;
  /** The places of this process in the change feed. */
  readonly lanes: Lanes;
  /** Heads that this process wrote, to save a read before the next append. */
  readonly heads: HeadCache;
}
