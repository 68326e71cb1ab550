import { chown, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.js";
import type { DataDirectory } from "./data-directory.js";
import { explain, failure, hasErrorCode } from "./failures.js";
import { draftName, readIfPresent, syncDirectory } from "./files.js";
import { guarded, type Guards } from "./guards.js";
import { runProgram } from "./run-program.js";
import type { ServerUser } from "./server-user.js";

/** Everything that is determined before a server is searched for or launched. */
export interface Cluster {
  readonly directory: DataDirectory;
  readonly binaries: Binaries;
  readonly guards: Guards;
  /** `null` if the server runs as the user of this process. */
  readonly user: ServerUser | null;
  readonly settings: Readonly<Record<string, string>>;
}

/** Role and database have the same name. */
export const NAME = "runledger";

/** Returns `null` if there is no cluster yet. */
export async function clusterVersion({ pgdata }: DataDirectory): Promise<string | null> {
  return readIfPresent(join(pgdata, "PG_VERSION"));
}

export async function refuseOtherVersion({ directory, binaries }: Cluster): Promise<void> {
  const theirs = await clusterVersion(directory);
  const [ours] = binaries.version.split(".");
  if (theirs === null || theirs === ours) return;
  const remedy = "use the Runledger version that made it, or choose another dataDir.";
  const what = `${directory.pgdata} was made by PostgreSQL ${theirs}, and this is ${ours}`;
  throw failure("EMBEDDED_OTHER_VERSION", `${what}: ${remedy}`);
}

/**
 * Creates the cluster under another name and renames it: a cluster is complete or absent, and one of several creators
 * wins.
 */
export async function createCluster(cluster: Cluster): Promise<void> {
  const { path, pgdata } = cluster.directory;
  const draft = draftName(path);
  try {
    await mkdir(draft, { mode: 0o700 });
    if (cluster.user !== null) await chown(draft, cluster.user.uid, cluster.user.gid);
    await initialise(cluster, draft);
    await rename(draft, pgdata);
    await syncDirectory(path);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (hasErrorCode(error, "ENOTEMPTY", "EEXIST")) return refuseForeign(cluster);
    throw error;
  }
}

/** Another process may have been faster. Then the directory holds a cluster. */
async function refuseForeign({ directory }: Cluster): Promise<void> {
  if ((await clusterVersion(directory)) !== null) return;
  const remedy = "move it away, or choose another dataDir.";
  throw failure("EMBEDDED_START_FAILED", `${directory.pgdata} is not a PostgreSQL cluster: ${remedy}`);
}

/** Byte order and Unicode case from PostgreSQL itself: the same on every system, independent of its locales. */
const initdbOptions: readonly string[] = [
  `--username=${NAME}`,
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--data-checksums",
  "--no-instructions",
];

async function initialise(cluster: Cluster, pgdata: string): Promise<void> {
  const { binaries, directory, guards, user } = cluster;
  const args = ["-D", pgdata, `--pwfile=${directory.passwordFile}`, ...initdbOptions];
  const initdb = guarded(guards.endWithParent("TERM"), binaries.initdb, args);
  const { code, stderr, spawnFailure } = await runProgram({ ...initdb, user, env: binaries.env });
  if (code !== 0) throw notCreated(cluster, spawnFailure ?? stderr);
  await runAlone(cluster, pgdata, `CREATE DATABASE ${NAME}`);
}

/** Runs one statement in single-user mode. It takes the cluster's lock like any other server. */
export async function runAlone(cluster: Cluster, pgdata: string, statement: string): Promise<void> {
  const { binaries, guards, user } = cluster;
  const quiet = ["-c", "log_checkpoints=off", "-c", "log_min_error_statement=panic"];
  const args = ["--single", "-D", pgdata, ...quiet, "postgres"];
  const single = guarded([...guards.endWithParent("TERM"), ...guards.oneAtATime(pgdata)], binaries.postgres, args);
  const { code, stderr, spawnFailure } = await runProgram({
    ...single,
    user,
    env: binaries.env,
    input: `${statement}\n`,
  });
  // A statement that fails does not end the server, nor change its exit code.
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(stderr)) throw notCreated(cluster, spawnFailure ?? stderr);
}

function notCreated({ directory }: Cluster, text: string) {
  const what = `PostgreSQL could not set up ${directory.path}`;
  return explain({ dataDir: directory.path, text, otherwise: { what, remedy: "choose another dataDir." } });
}
