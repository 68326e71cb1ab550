import { resolve } from "node:path";
import { acquireServer, stopOrphan } from "./acquire-server.js";
import { findBinaries } from "./binaries.js";
import { clusterVersion, createCluster, NAME, refuseOtherVersion, runAlone, type Cluster } from "./cluster.js";
import { checkDataDir, prepareDataDirectory } from "./data-directory.js";
import type { EmbeddedOptions, EmbeddedPostgres } from "./embedded-postgres.js";
import { explain, failure, isSystemError } from "./failures.js";
import { readIfPresent } from "./files.js";
import { findGuards } from "./guards.js";
import { loadOrCreatePassword, replacePassword } from "./password.js";
import { HOST } from "./port.js";
import { disarmStaleLockFile, findServer } from "./running-server.js";
import { ServerKeeper } from "./server-keeper.js";
import { chooseServerUser } from "./server-user.js";
import { keepingAlive, pause } from "./timing.js";

/**
 * Starts a PostgreSQL for a directory. The first process launches it, others share it, one of them restarts it when the
 * first exits, and it ends with the last.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  checkDataDir(options.dataDir);
  try {
    return await keepingAlive(() => start(options));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const dataDir = resolve(options.dataDir);
    const otherwise = { what: `${dataDir} cannot be used`, remedy: "choose another dataDir." };
    throw explain({ dataDir, text: error.message, otherwise, cause: error });
  }
}

async function start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await settle(options);
  await refuseOtherVersion(cluster);
  const password = await passwordOf(cluster);
  if ((await clusterVersion(cluster.directory)) === null) await createCluster(cluster);
  const held = await acquireServer(cluster, { port: null, signal: new AbortController().signal });
  const url = `postgres://${NAME}:${password}@${HOST}:${held.server.port}/${NAME}`;
  return new ServerKeeper({ cluster, held, url, log: options.log ?? silent, warn: options.log ?? warn });
}

async function settle({ dataDir, settings = {}, cacheDir }: EmbeddedOptions): Promise<Cluster> {
  const user = await chooseServerUser(dataDir);
  const binaries = await findBinaries({ user, cacheDir });
  const directory = await prepareDataDirectory(dataDir, user);
  const guards = await findGuards({ user, directory: directory.path });
  return { directory, binaries, guards, user, settings };
}

async function passwordOf(cluster: Cluster): Promise<string> {
  for (let attempts = 5; await isPasswordLost(cluster); attempts--) {
    try {
      await makeNewPassword(cluster);
    } catch (error) {
      if (attempts <= 1) throw error;
      await pause(200); // another process may be doing it
    }
  }
  return loadOrCreatePassword(cluster.directory.passwordFile, cluster.user);
}

async function isPasswordLost({ directory }: Cluster): Promise<boolean> {
  return (await readIfPresent(directory.passwordFile)) === null && (await clusterVersion(directory)) !== null;
}

/**
 * A process that can write to the cluster may set a new password. But the clients of a running server use the old one.
 */
async function makeNewPassword(cluster: Cluster): Promise<void> {
  const { directory, user } = cluster;
  const running = await findServer(directory.pgdata);
  if (running?.orphaned === false) {
    const remedy = `stop the program that launched it (its server has pid ${running.pid}), then start again.`;
    throw failure("EMBEDDED_START_FAILED", `${directory.passwordFile} is missing while its server runs: ${remedy}`);
  }
  if (running !== null) await stopOrphan(cluster, running);
  if (!(await cluster.guards.isTaken(directory.pgdata))) await disarmStaleLockFile(directory.pgdata);
  await replacePassword(directory.passwordFile, user, (password) =>
    runAlone(cluster, directory.pgdata, `ALTER ROLE ${NAME} PASSWORD '${password}'`),
  );
}

const silent = (): void => {};
const warn = (line: string): void => process.emitWarning(line, "RunledgerEmbedded");
