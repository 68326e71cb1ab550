/**
 * Empty databases for tests. The first one of a test file starts a server in a temporary folder, and the end of the
 * file stops it and removes the folder.
 * RUNLEDGER_TEST_POSTGRES=postgres://… makes the databases on that server instead: another version, a debugger at hand.
 */
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@runledger/embedded";
import { Client } from "pg";
import { afterAll } from "vitest";
import { copyCluster } from "./cluster-template.js";

export interface FreshDatabase {
  readonly url: string;
  /** As good as new, in a tenth of the time: every row of the store's tables goes, the schema stays. */
  empty(): Promise<void>;
  /** Also ends whoever is still connected to it. */
  drop(): Promise<void>;
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Databases live for seconds: nothing of them has to survive a crash of the machine. */
const HASTY = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/** DELETE, because for a few rows it is much faster than TRUNCATE. The feed counts from 1 again. */
const DELETE_ROWS = `
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'runledger' AND tablename <> 'migrations' LOOP
    EXECUTE format('DELETE FROM runledger.%I', name);
  END LOOP;
  IF to_regclass('runledger.change_feed') IS NOT NULL THEN
    PERFORM setval(pg_get_serial_sequence('runledger.change_feed', 'id'), 1, false);
  END IF;
END $$`;

let server: Promise<Server> | null = null;

afterAll(async () => {
  const running = await server?.catch(() => null);
  server = null;
  await running?.stop();
});

export async function freshDatabase(): Promise<FreshDatabase> {
  server ??= startServer();
  const { url } = await server;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await run(url, `CREATE DATABASE ${name}`);
  const own = withDatabase(url, name);
  const connection = keptOpen(own);
  return {
    url: own,
    empty: () => connection.run(DELETE_ROWS),
    drop: async () => {
      await connection.end();
      await run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function startServer(): Promise<Server> {
  const given = process.env["RUNLEDGER_TEST_POSTGRES"];
  if (given !== undefined) return { url: given, stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "runledger-test-"));
  await chmod(folder, 0o711); // as root the server runs as another user, who must get through here
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 20 });
  try {
    const dataDir = join(folder, "data");
    await copyCluster(dataDir);
    const postgres = await startEmbeddedPostgres({ dataDir, settings: HASTY });
    return { url: postgres.url, stop: () => postgres.stop().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A connection of its own each time: a test that kills backends must not break the next database. */
async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** For what is done before every test: a connection that is made once, and again after somebody broke it. */
function keptOpen(url: string): { run(statement: string): Promise<void>; end(): Promise<void> } {
  let client: Client | null = null;
  const connect = async (): Promise<Client> => {
    const fresh = new Client({ connectionString: url });
    fresh.on("error", () => (client = null));
    await fresh.connect();
    return fresh;
  };
  return {
    run: async (statement) => {
      client ??= await connect();
      await client.query(statement);
    },
    end: async () => {
      await client?.end();
      client = null;
    },
  };
}

function withDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
