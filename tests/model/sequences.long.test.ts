// @module-tag L-42
import { afterAll, beforeAll, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { assertCleanHistories } from "./concurrent-clients.js";
import { postgresContent, postgresTarget } from "./postgres-target.js";
import { runSequences } from "./run-sequences.js";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

test("10,000 random sequences get the same answers from memory and PostgreSQL", () =>
  runSequences(postgresTarget(database), { sequences: 10_000, maxCommands: 40 }));

test("2,000 times three clients at once over two connections leave a clean history", () =>
  assertCleanHistories(postgresContent(database), { histories: 2000 }));
