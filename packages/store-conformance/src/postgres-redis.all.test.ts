// @module-tag H-11
/** The suite on PostgreSQL with a counter in a real Redis (P10). */
import { PostgresStore } from "@runledger/store-postgres";
import { requireRedis, startRedis, type BrokerServer } from "@runledger/test-support/brokers";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { flushRedis, redisUrl } from "@runledger/test-support/redis-client";
import { describeWith } from "@runledger/test-support/requirements";
import { afterAll, beforeAll, describe, test } from "vitest";
import { stateStoreConformance } from "./index.js";

describeWith("Redis", requireRedis, () => {
  let redis: BrokerServer;
  let database: FreshDatabase;

  beforeAll(async () => {
    [redis, database] = await Promise.all([startRedis(), freshDatabase({ migrated: false })]);
  });
  afterAll(async () => {
    await redis.stop();
    await database.drop();
  });

  const connect = (): Promise<PostgresStore> =>
    PostgresStore.open({ url: database.url, poolSize: 4, authority: "redis", redis: redisUrl(redis) });

  stateStoreConformance("PostgresStore with a counter in Redis", {
    runner: { describe, test },
    open: async () => {
      await Promise.all([database.empty(), flushRedis(redis)]);
      return connect();
    },
    reopen: connect,
    shared: true,
  });
});
