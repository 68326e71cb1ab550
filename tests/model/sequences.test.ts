// @module-tag L-42
/**
 * Runs the same random sequence of calls against the reference in memory and PostgreSQL. Compares every answer and, at
 * the end, the content of both. Every run uses other seeds; `test:all` runs more. A failure prints its seed and path, which `runSequences` accepts.
 */
import { afterAll, beforeAll, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { postgresTarget } from "./postgres-target.js";
import { runSequences } from "./run-sequences.js";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

test("50 random sequences get the same answers from memory and PostgreSQL", { timeout: 900_000 }, () =>
  runSequences(postgresTarget(database), { sequences: 50, maxCommands: 25 }),
);
