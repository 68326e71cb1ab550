import type { StateStore } from "@runledger/contracts";
import { DynamoClient, type RetryLimits } from "./client.js";
import { StoreClock } from "./clock.js";
import { parseDynamoUrl, type DynamoTarget } from "./connection-url.js";
import { openDriver } from "./driver.js";
import { assertLayout, migrate } from "./migrate.js";

export interface DynamoStoreOptions extends Partial<DynamoTarget> {
  /** `dynamodb://<region>/<table>?endpoint=…`. Replaces `region`, `table` and `endpoint`. */
  readonly url?: string;
  /** `false` refuses a missing table instead of creating it. Defaults to `true`. */
  readonly migrate?: boolean;
  /** Time without a response after which a request is repeated. Defaults to 5 s. */
  readonly answerTimeoutMs?: number;
  readonly retries?: Partial<RetryLimits>;
}

const ANSWER_TIMEOUT_MS = 5_000;

/** Opens a client on the table without using it. */
export async function openClient(options: DynamoStoreOptions): Promise<DynamoClient> {
  const { region, table, endpoint } = options.url === undefined ? options : parseDynamoUrl(options.url);
  const clock = new StoreClock();
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const driver = await openDriver({ region, endpoint, answerTimeoutMs, onDate: clock.observe });
  return new DynamoClient(driver, table ?? "runledger", clock, options.retries);
}

/** Opens the store. Creates the table if it is missing. */
export async function openTable(options: DynamoStoreOptions): Promise<DynamoClient> {
  const client = await openClient(options);
  try {
    await (options.migrate === false ? assertLayout(client) : migrate(client));
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

export type DynamoStore = StateStore;
