// @module-tag L-42
import { afterAll, beforeAll, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { postgresTarget } from "./postgres-target.js";
import { runSequences } from "./run-sequences.js";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

test("1,000 random sequences get the same answers from memory and PostgreSQL", { timeout: 900_000 }, () =>
  runSequences(postgresTarget(database), { sequences: 1000, maxCommands: 25 }),
);
