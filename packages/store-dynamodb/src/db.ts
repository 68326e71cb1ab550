import type { DynamoClient } from "./client.js";
import type { Lanes } from "./lanes.js";

/** What the functions of the store work on. */
export interface Db {
  readonly client: DynamoClient;
  /** The places of this process in the change feed. */
  readonly lanes: Lanes;
}
