/** The PostgreSQL server of a run, with a migrated database that new ones are copied from. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@runledger/embedded";
import { PostgresStore } from "@runledger/store-postgres";
import { query, TEMPLATE, withDatabase } from "./databases.js";
import type { Service } from "./shared-services.js";

/** Databases live for seconds: nothing of them has to survive a crash of the machine. */
const HASTY = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "400" };

export async function startSharedPostgres(): Promise<Service> {
  const server = await startPostgresServer();
  await query(server.url, `CREATE DATABASE ${TEMPLATE}`);
  const store = await PostgresStore.open({ url: withDatabase(server.url, TEMPLATE) });
  await store.close();
  return server;
}

/** Starts a server in a temporary folder. Stopping it removes the folder. */
export async function startPostgresServer(): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), "runledger-test-"));
  await chmod(folder, 0o711); // as root the server runs as another user, who must get through here
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 20 });
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), settings: HASTY });
    return { url: postgres.url, stop: () => postgres.stop().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
