/** A million runs that can be listed, counted and opened; the newest thousand have their events too. */
import { copyOf, freshDatabase, given, type FreshDatabase } from "./fresh-database.js";
import { manyRuns } from "./many-runs.mjs";
import { serviceAddress } from "./service-address.js";

export async function millionRuns(): Promise<FreshDatabase> {
  if (given === undefined) return copyOf(await serviceAddress("million-runs"));
  const database = await freshDatabase();
  await manyRuns(database.url, { runs: 1_000_000 });
  return database;
}
