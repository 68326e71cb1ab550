/** A million runs that can be listed, counted and opened; the newest thousand have their events too. */
import { freshDatabase, type FreshDatabase } from "./fresh-database.js";
import { manyRuns } from "./many-runs.mjs";

export async function millionRuns(): Promise<FreshDatabase> {
  const database = await freshDatabase();
  await manyRuns(database.url, { runs: 1_000_000 });
  return database;
}
