import { SnowflakeStore } from "@runledger/store-snowflake";
import { connect } from "../src/client.js";
import { parseSnowflakeUrl } from "../src/connection-url.js";

const TABLES = ["RUN_EVENTS", "RUN_EVENTS_ARCHIVE", "RUN_HEADS", "CHECKPOINTS", "RUN_HEADERS", "RUN_STEPS"];

const made = new Set<string>();

/** Creates the schema of this store if necessary, and empties it. */
export async function emptySchema(url: string): Promise<void> {
  if (!made.has(url)) await (await SnowflakeStore.open({ url })).close();
  made.add(url);
  const db = await connect(parseSnowflakeUrl(url), 1);
  await db.script(TABLES.map((table) => `DELETE FROM ${table}`).join(";"));
  await db.close();
}
