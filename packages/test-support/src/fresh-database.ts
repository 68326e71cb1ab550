/**
 * Databases for tests, on the server that all test files of a run share.
 * RUNLEDGER_TEST_POSTGRES=postgres://… creates the databases on that server instead: for another version or for debugging.
 */
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { query, TEMPLATE, withDatabase } from "./databases.js";
import { serviceAddress } from "./service-address.js";

export interface FreshDatabase {
  readonly url: string;
  /** Deletes every row of the store's tables and keeps the schema: much faster than a new database. */
  empty(): Promise<void>;
  /** Drops the database, and ends all connections to it. */
  drop(): Promise<void>;
}

interface FreshOptions {
  /** `false` for a database without the store's schema. */
  readonly migrated?: boolean;
}

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

export const given = process.env["RUNLEDGER_TEST_POSTGRES"];

/** Creates a database with the store's schema and no rows. */
export async function freshDatabase({ migrated = true }: FreshOptions = {}): Promise<FreshDatabase> {
  if (given !== undefined) return createDatabase(given, null);
  return createDatabase(await serviceAddress("postgres"), migrated ? TEMPLATE : null);
}

/** Copies a database of the shared server. No connection to the original may be open. */
export async function copyOf(url: string): Promise<FreshDatabase> {
  const original = new URL(url).pathname.slice(1);
  return createDatabase(await serviceAddress("postgres"), `${original} STRATEGY FILE_COPY`);
}

/** Creates an empty database on another server. The first store that opens it creates the schema. */
export const freshDatabaseOn = (server: string): Promise<FreshDatabase> => createDatabase(server, null);

export interface OwnServer {
  freshDatabase(): Promise<FreshDatabase>;
  stop(): Promise<void>;
}

/** Starts a server for one test file: for tests that depend on everything that runs on their server. */
export async function startOwnServer(): Promise<OwnServer> {
  const { startPostgresServer } = await import("./shared-postgres.js"); // few test files need it
  const server = given === undefined ? await startPostgresServer() : { url: given, stop: async () => {} };
  return { freshDatabase: () => freshDatabaseOn(server.url), stop: server.stop };
}

async function createDatabase(server: string, template: string | null): Promise<FreshDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await query(server, `CREATE DATABASE ${name}${template === null ? "" : ` TEMPLATE ${template}`}`);
  const url = withDatabase(server, name);
  const connection = keptOpen(url);
  return {
    url,
    empty: () => connection.run(DELETE_ROWS),
    drop: async () => {
      await connection.end();
      await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** For what is done before every test: a connection that is made once, and again after it was lost. */
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
