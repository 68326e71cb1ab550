import { afterAll, beforeAll, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "../support/fresh-database.js";
import { assertCleanHistories } from "./concurrent-clients.js";
import { postgresTarget } from "./postgres-target.js";
import { runSequences } from "./run-sequences.js";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

test("[L-42] 10,000 random sequences get the same answers from memory and PostgreSQL", () =>
  runSequences(postgresTarget(database), { sequences: 10_000, maxCommands: 40 }));

test("[L-42] 2,000 times three clients at once over two connections leave a clean history", () =>
  assertCleanHistories(database, { histories: 2000 }));
