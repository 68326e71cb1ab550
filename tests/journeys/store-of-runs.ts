/** A database with short, finished runs, for the commands that walk all runs of a store. */
import { Client } from "pg";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";

export interface StoreOfRuns {
  readonly url: string;
  readonly sql: Client;
  drop(): Promise<void>;
}

/** Its runs are `run-0000` and up, with two events each. */
export async function storeOfRuns(count: number): Promise<StoreOfRuns> {
  const database = await freshDatabase();
  const store = await PostgresStore.open({ url: database.url });
  const event = (n: number, eventType: string) =>
    newEvent({ runId: `run-${String(n).padStart(4, "0")}`, eventType, planVersion: "1", planId: "p" });
  const runs = Array.from({ length: count }, (_, n) => n);
  await store.appendEvents(runs.flatMap((n) => [event(n, "RunStarted"), event(n, "RunCompleted")]));
  await store.close();
  const sql = new Client({ connectionString: database.url });
  await sql.connect();
  const drop = async (): Promise<void> => {
    await sql.end();
    await database.drop();
  };
  return { url: database.url, sql, drop };
}
