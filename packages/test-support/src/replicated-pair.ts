/** A primary and an asynchronous standby with streaming replication on loopback. */
import { execFileSync } from "node:child_process";
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "@runledger/embedded";
import { query } from "./databases.js";

const SETTINGS = { fsync: "off", full_page_writes: "off", max_connections: "100" };

export interface ReplicatedPair {
  readonly primary: string;
  readonly standby: string;
  /** The standby receives nothing more: everything that the primary commits from now on is lost with it. */
  detach(): Promise<void>;
  /** Waits until the standby has everything. */
  caughtUp(): Promise<boolean>;
  stopPrimary(): Promise<void>;
  /** Suspends all processes of the primary. They resume when the pair is stopped. */
  freezePrimary(): Promise<void>;
  /** The standby accepts writes from now on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

interface PairOptions {
  /** The standby has every commit before it is acknowledged. */
  readonly synchronous?: boolean;
}

export async function startReplicatedPair({ synchronous = false }: PairOptions = {}): Promise<ReplicatedPair> {
  const folder = await mkdtemp(join(tmpdir(), "runledger-pair-"));
  await chmod(folder, 0o711); // as root the servers run as another user, who must get through here
  const [primaryDir, standbyDir] = [join(folder, "primary"), join(folder, "standby")];
  await (await startEmbeddedPostgres({ dataDir: primaryDir, settings: SETTINGS })).stop();
  await copyCluster(primaryDir, standbyDir);
  const replication: Record<string, string> = synchronous ? { synchronous_standby_names: "*" } : {};
  const primary = await startEmbeddedPostgres({ dataDir: primaryDir, settings: { ...SETTINGS, ...replication } });
  const standby = await startStandby(standbyDir, primary);
  const lag = "SELECT count(*)::int AS n FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()";
  return {
    primary: primary.url,
    standby: standby.url,
    detach: async () => {
      await query(standby.url, "ALTER SYSTEM SET primary_conninfo = ''");
      await query(standby.url, "SELECT pg_reload_conf()");
    },
    caughtUp: async () => (await query<{ n: number }>(primary.url, lag))[0]!.n === 1,
    stopPrimary: () => primary.stop(),
    freezePrimary: () => signalServer(primaryDir, "SIGSTOP"),
    promote: async () => void (await query(standby.url, "SELECT pg_promote(true, 60)")),
    stop: async () => {
      await signalServer(primaryDir, "SIGCONT");
      await primary.stop();
      await standby.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Sends a signal to a server and all its processes. Does nothing if it is stopped. */
async function signalServer(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  const lock = await readFile(join(dataDir, "pgdata", "postmaster.pid"), "utf8").catch(() => null);
  if (lock === null) return;
  const pid = Number(lock.split("\n")[0]);
  process.kill(pid, signal);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  for (const child of children.split(" ").filter(Boolean)) process.kill(Number(child), signal);
}

/** Copies a cluster whose server is stopped. The copy follows the original when it starts. */
async function copyCluster(from: string, to: string): Promise<void> {
  execFileSync("cp", ["-a", from, to]);
  await rm(join(to, "port"), { force: true });
  const signal = join(to, "pgdata", "standby.signal");
  await writeFile(signal, "");
  const { uid, gid } = await stat(join(to, "pgdata"));
  await chown(signal, uid, gid);
}

function startStandby(dataDir: string, primary: EmbeddedPostgres): Promise<EmbeddedPostgres> {
  const { hostname, port, username, password } = new URL(primary.url);
  const address = `host=${hostname} port=${port} user=${username} password=${password}`;
  return writeConf(dataDir, address).then(() => startEmbeddedPostgres({ dataDir, settings: SETTINGS }));
}

/** In the file, so that ALTER SYSTEM can change it. */
async function writeConf(dataDir: string, address: string): Promise<void> {
  const file = join(dataDir, "pgdata", "postgresql.conf");
  await writeFile(file, `\nprimary_conninfo = '${address}'\n`, { flag: "a" });
}
