// @module-tag H-10
/** The suite on PostgreSQL with a sequence per run, which numbers events before they are stored (P10). */
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, describe, test } from "vitest";
import { stateStoreConformance } from "./index.js";

let database: FreshDatabase;

beforeAll(async () => void (database = await freshDatabase({ migrated: false })));
afterAll(() => database.drop());

const connect = (): Promise<PostgresStore> =>
  PostgresStore.open({ url: database.url, poolSize: 4, authority: "sequence" });

stateStoreConformance("PostgresStore with a sequence per run", {
  runner: { describe, test },
  open: () => database.empty().then(connect),
  reopen: connect,
  shared: true,
});
