// @module-tag R-10
/** The conformance suite on PostgreSQL 14 to 17. `packages/store-conformance/src/postgres.test.ts` runs it on 18. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stateStoreConformance } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { postgres15, requireDebian, unpackDebian, type Unpacked } from "@runledger/test-support/debian-packages";
import { freshDatabaseOn, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { npmVersions, unpackPostgres } from "@runledger/test-support/postgres-versions";
import { describeWith, requireTool, type Requirement } from "@runledger/test-support/requirements";
import { startPostgres, type TestServer } from "@runledger/test-support/servers";
import { until } from "@runledger/test-support/until";

interface Version {
  readonly needs: readonly Requirement[];
  readonly unpack: () => Promise<Unpacked>;
  readonly bin: string;
  readonly tags?: string[];
}

const fromNpm = (version: string): Version => ({
  needs: [requireTool("npm"), requireTool("tar")],
  unpack: () => unpackPostgres(version),
  bin: "bin",
});

const versions: Readonly<Record<number, Version>> = {
  14: fromNpm(npmVersions[14]),
  15: {
    needs: requireDebian,
    unpack: () => unpackDebian(postgres15),
    bin: "usr/lib/postgresql/15/bin",
    tags: ["L-28"],
  },
  16: fromNpm(npmVersions[16]),
  17: fromNpm(npmVersions[17]),
};

const yes = (): boolean => true;
const no = (): boolean => false;

for (const [major, { needs, unpack, bin, tags = [] }] of Object.entries(versions))
  describeWith(`on PostgreSQL ${major}`, needs, () => {
    let server: TestServer;
    let database: FreshDatabase;

    beforeAll(async () => {
      server = await startPostgres(await unpack(), bin);
      await until(() => query(server.url, "SELECT 1").then(yes, no)); // it listens before it is ready
      database = await freshDatabaseOn(server.url);
    });
    afterAll(async () => {
      await database.drop();
      await server.stop();
    });

    test("the server has this version", { tags }, async () => {
      const [row] = await query<{ server_version: string }>(server.url, "SHOW server_version");
      expect(row!.server_version.split(".")[0]).toBe(major);
    });

    const connect = (): Promise<PostgresStore> => PostgresStore.open({ url: database.url, poolSize: 4 });
    stateStoreConformance(`PostgresStore on PostgreSQL ${major}`, {
      runner: { describe, test: (name, body) => test(name, { tags }, body) },
      open: () => database.empty().then(connect),
      reopen: connect,
      shared: true,
    });
  });
