/** The chaos test's PostgreSQL: durable, as in production, with one database per round. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@runledger/embedded";
import { Client } from "pg";
import type { RoundFiles } from "./round.js";

export interface ChaosServer extends AsyncDisposable {
  newDatabase(): Promise<RoundFiles>;
}

export async function startChaosServer(): Promise<ChaosServer> {
  const folder = await mkdtemp(join(tmpdir(), "runledger-chaos-"));
  await chmod(folder, 0o711); // as root, the server runs as another user, who needs access here
  const dataDir = join(folder, "data");
  const postgres = await startEmbeddedPostgres({ dataDir });
  let made = 0;
  return {
    newDatabase: async () => {
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
