/** Where chaos happens: a PostgreSQL that is durable, as for a user, with a database for every round. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@runledger/embedded";
import { Client } from "pg";
import type { Place } from "./round.js";

export interface ChaosPlace extends AsyncDisposable {
  fresh(): Promise<Place>;
}

export async function chaosPlace(): Promise<ChaosPlace> {
  const folder = await mkdtemp(join(tmpdir(), "runledger-chaos-"));
  await chmod(folder, 0o711); // as root the server runs as another user, who must get through here
  const dataDir = join(folder, "data");
  const postgres = await startEmbeddedPostgres({ dataDir });
  let made = 0;
  return {
    fresh: async () => {
      const name = `round_${++made}`;
      const client = new Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      return { url: url.href, dataDir, folder };
    },
    [Symbol.asyncDispose]: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
