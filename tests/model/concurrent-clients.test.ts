// @module-tag L-42
import { afterAll, beforeAll, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { assertCleanHistories } from "./concurrent-clients.js";
import { postgresContent } from "./postgres-target.js";

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

test("100 times three clients at once over two connections leave a clean history", { timeout: 900_000 }, () =>
  assertCleanHistories(postgresContent(database), { histories: 100 }),
);
