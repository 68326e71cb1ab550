import { PostgresStore } from "@runledger/store-postgres";
import { afterAll, beforeAll, describe, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { stateStoreConformance } from "./index.js";

let database: FreshDatabase;

beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

const connect = (): Promise<PostgresStore> => PostgresStore.open({ url: database.url, poolSize: 4 });

stateStoreConformance("PostgresStore", {
  runner: { describe, test },
  open: () => database.empty().then(connect),
  reopen: connect,
  shared: true,
});
