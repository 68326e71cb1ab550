import { Client } from "pg";
import { afterAll, beforeAll, describe, test } from "vitest";
import { stateStoreConformance } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { postgres15, requireDebian, unpackDebian } from "../support/debian-packages.js";
import { describeWith } from "../support/requirements.js";
import { startPostgres, type TestServer } from "../support/servers.js";

describeWith("[L-28] on PostgreSQL 15", requireDebian, () => {
  let server: TestServer;
  let stores = 0;

  beforeAll(async () => {
    server = await startPostgres(await unpackDebian(postgres15), "usr/lib/postgresql/15/bin");
  });
  afterAll(() => server.stop());

  /** A database of its own for each store: this server is nobody else's. */
  async function open(): Promise<PostgresStore> {
    const name = `store_${++stores}`;
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return PostgresStore.open({ url: url.href, poolSize: 4 });
  }

  stateStoreConformance("[L-28] PostgresStore on PostgreSQL 15", { runner: { describe, test }, open });
});
