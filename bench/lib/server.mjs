import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "./driver.mjs";

/**
 * The one server that all sides share.
 * @typedef {object} Server
 * @property {string} version
 * @property {(name: string) => Promise<Database>} create a fresh, empty database
 * @property {() => Promise<void>} stop
 *
 * @typedef {{ url: string, drop: () => Promise<void> }} Database
 */

/** @returns {Promise<Server>} the server of RUNLEDGER_BENCH_POSTGRES, else an embedded one that lives for this run */
export async function startServer() {
  const { url, stop } = await address();
  try {
    const version = await checkDurability(url);
    return { version, create: (name) => createDatabase(url, name), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function address() {
  const url = process.env["RUNLEDGER_BENCH_POSTGRES"];
  if (url !== undefined && url !== "") return { url, stop: async () => {} };
  const { startEmbeddedPostgres } = await import("@runledger/embedded");
  const dataDir = await mkdtemp(join(tmpdir(), "runledger-bench-"));
  const server = await startEmbeddedPostgres({ dataDir });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Numbers of a server that may lose commits mean nothing.
 * @param {string} url
 */
async function checkDurability(url) {
  return withClient(url, async (client) => {
    for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
      const { rows } = await client.query({ text: `SHOW ${name}`, rowMode: "array" });
      if (rows[0]?.[0] !== "on") throw new Error(`The server runs with ${name} = ${rows[0]?.[0]}; switch it on.`);
    }
    const { rows } = await client.query({ text: "SHOW server_version", rowMode: "array" });
    return `PostgreSQL ${String(rows[0]?.[0]).split(" ")[0]}`;
  });
}

/**
 * @param {string} url
 * @param {string} name
 * @returns {Promise<Database>}
 */
async function createDatabase(url, name) {
  const database = `runledger_bench_${name.replaceAll("-", "_")}_${process.pid}_${Date.now().toString(36)}`;
  await withClient(url, (client) => client.query(`CREATE DATABASE ${database}`));
  const own = new URL(url);
  own.pathname = `/${database}`;
  const drop = () => withClient(url, (client) => client.query(`DROP DATABASE ${database} WITH (FORCE)`));
  return { url: own.href, drop: async () => void (await drop()) };
}

/**
 * @template T
 * @param {string} url
 * @param {(client: import("./driver.mjs").PgClient) => Promise<T>} work
 */
export async function withClient(url, work) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
