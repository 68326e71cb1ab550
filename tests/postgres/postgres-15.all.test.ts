import { afterAll, beforeAll, expect, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { postgres15, requireDebian, unpackDebian } from "../support/debian-packages.js";
import { describeWith } from "../support/requirements.js";
import { startPostgres, type TestServer } from "../support/servers.js";

describeWith("[L-28] on PostgreSQL 15", requireDebian, () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startPostgres(await unpackDebian(postgres15), "usr/lib/postgresql/15/bin");
  });
  afterAll(() => server.stop());

  test("[L-28] the schema is made and events are appended", async () => {
    const store = await PostgresStore.open({ url: server.url });
    const event = newEvent({ runId: "run-1", eventType: "RunStarted", planVersion: "1" });
    expect(await store.appendEvent(event)).toMatchObject({ runSeq: 1, persisted: true });
    expect(await store.appendEvent(event)).toMatchObject({ runSeq: 1, idempotent: true });
    await store.close();
  });
});
