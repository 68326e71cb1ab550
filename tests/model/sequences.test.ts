/**
 * The same random sequence of calls against the reference in memory and PostgreSQL: every answer is compared, and in
 * the end everything that both hold. A failure prints its seed and path; `runSequences` takes them.
 */
import { afterAll, beforeAll, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "../support/fresh-database.js";
import { postgresTarget } from "./postgres-target.js";
import { runSequences } from "./run-sequences.js";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

test("[L-42] 1,000 random sequences get the same answers from memory and PostgreSQL", { timeout: 900_000 }, () =>
  runSequences(postgresTarget(database), { sequences: 1000, maxCommands: 25 }),
);
