import { spawn, type ChildProcess } from "node:child_process";
import { NAME, type Cluster } from "./cluster.js";
import { explain } from "./failures.js";
import { DIRECTORY_TAKEN, guarded } from "./guards.js";
import { HOST } from "./port.js";
import { identity, plainEnvironment } from "./run-program.js";
import { findServer, OWNER_SETTING } from "./running-server.js";
import { isDiskFull, LOG_LINE_PREFIX, openServerLog, type ServerLog } from "./server-log.js";
import { waitUntil } from "./timing.js";

/** A server that this process launched, and that ends with it. */
export interface OwnServer {
  readonly pid: number;
  readonly port: number;
  readonly hasEnded: () => boolean;
}

/**
 * A process that loses the race for the directory checks again. A process that finds its port taken decides what to do.
 */
export type Launched = OwnServer | "directory-taken" | "port-taken";

/**
 * For crash recovery of about max_wal_size on a slow disk. Giving up earlier would restart recovery from the beginning.
 */
const START_PATIENCE_MS = 600_000;

export async function launchServer(cluster: Cluster, port: number): Promise<Launched> {
  const log = await openServerLog(cluster.directory.logFile, cluster.user);
  try {
    const child = spawnServer(cluster, { port, logTo: log.fd });
    const server = { pid: child.pid ?? 0, port, hasEnded: () => hasEnded(child) };
    const decided = await waitUntil(async () => server.hasEnded() || (await isReady(cluster, server.pid)), {
      everyMs: 20,
      atMostMs: START_PATIENCE_MS,
    });
    if (decided && !server.hasEnded()) return server;
    if (!decided) child.kill("SIGQUIT");
    return await whyNot(cluster, child, log);
  } finally {
    await log.close();
  }
}

/**
 * Starts the server in its own session, so that Ctrl-C in a terminal reaches only our program, which may have events
 * left to write. SIGINT on our death is PostgreSQL's fast shutdown: it disconnects clients, keeps all commits and
 * leaves nothing to recover. The guard comes after the change of user, which would undo it.
 */
function spawnServer(cluster: Cluster, { port, logTo }: { readonly port: number; readonly logTo: number }) {
  const { binaries, directory, guards, user } = cluster;
  const before = [...guards.endWithParent("INT"), ...guards.oneAtATime(directory.pgdata)];
  const { command, args } = guarded(before, guards.onlyWhileWeLive(binaries.postgres), serverArguments(cluster, port));
  const child = spawn(command, args, {
    cwd: "/",
    env: { ...plainEnvironment(), ...binaries.env },
    stdio: ["ignore", logTo, logTo],
    detached: true,
    ...identity(user),
  });
  child.on("error", () => {}); // then it has no pid, which is checked below
  child.unref();
  return child;
}

function serverArguments({ directory, settings }: Cluster, port: number): string[] {
  const all: Record<string, string> = {
    [OWNER_SETTING]: String(process.pid),
    port: String(port),
    listen_addresses: HOST,
    unix_socket_directories: "",
    max_connections: "100",
    shared_buffers: "128MB",
    // Set here, so that no edit of postgresql.conf weakens the durability of acknowledged commits. wal_level stays at its
    // default: `minimal` saves little and uses code that few clusters exercise.
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    // Clients receive their errors; in the log they would be noise and might contain data.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    log_line_prefix: LOG_LINE_PREFIX,
    cluster_name: NAME,
    ...settings,
  };
  return ["-D", directory.pgdata, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

async function isReady({ directory }: Cluster, pid: number): Promise<boolean> {
  const server = await findServer(directory.pgdata);
  return server !== null && server.pid === pid && server.ready;
}

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

async function whyNot({ directory }: Cluster, child: ChildProcess, log: ServerLog): Promise<Launched> {
  const said = await log.sinceOpened();
  if (child.exitCode === DIRECTORY_TAKEN) return "directory-taken";
  if (/lock file "postmaster.pid" (already exists|is empty)|pre-existing shared memory/.test(said))
    return "directory-taken";
  if (/could not bind|could not create any TCP\/IP sockets/.test(said)) return "port-taken";
  const ending = child.signalCode === null ? "" : `\nerror: ended by ${child.signalCode}`;
  const text = (await isDiskFull(directory.path)) ? "No space left on device" : `${said}${ending}`;
  const remedy = `see ${directory.logFile}, or choose another dataDir.`;
  throw explain({ dataDir: directory.path, text, otherwise: { what: "PostgreSQL did not start", remedy } });
}
