// @module-tag L-28
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { stateStoreConformance } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { pgbouncer, requireDebian, unpackDebian } from "@runledger/test-support/debian-packages";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { startPgbouncer, type TestServer } from "@runledger/test-support/servers";

describeWith("behind pgbouncer in transaction mode", requireDebian, () => {
  let database: FreshDatabase;
  let pooler: TestServer;

  beforeAll(async () => {
    database = await freshDatabase();
    pooler = await startPgbouncer(await unpackDebian(pgbouncer), database.url);
  });
  afterAll(async () => {
    await pooler.stop();
    await database.drop();
  });

  stateStoreConformance("PostgresStore behind pgbouncer", {
    runner: { describe, test },
    open: () => database.empty().then(() => PostgresStore.open({ url: pooler.url, poolSize: 4 })),
  });

  test("five server connections serve three stores with ten connections each, without session state", async () => {
    await database.empty();
    const stores = await Promise.all([1, 2, 3].map(() => PostgresStore.open({ url: pooler.url })));
    const events = Array.from({ length: 300 }, (_, i) =>
      newEvent({ runId: `run-${i % 10}`, stepId: `step-${i}`, eventType: "StepStarted", planVersion: "1" }),
    );
    const results = await Promise.all(events.map((event, i) => stores[i % 3]!.appendEvent(event)));
    expect(results.every(({ persisted }) => persisted)).toBe(true);
    const again = await Promise.all(events.map((event, i) => stores[(i + 1) % 3]!.appendEvent(event)));
    expect(again.map(({ runSeq }) => runSeq)).toEqual(results.map(({ runSeq }) => runSeq));
    for (let i = 0; i < 10; i++) {
      const seqs = (await stores[0]!.fetchEvents(`run-${i}`)).map(({ runSeq }) => runSeq);
      expect(seqs).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    }
    await Promise.all(stores.map((store) => store.close()));
  });
});
