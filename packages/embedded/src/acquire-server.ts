import type { Cluster } from "./cluster.js";
import { failure } from "./failures.js";
import { readIfPresent, replaceFile } from "./files.js";
import { launchServer, type OwnServer } from "./launch-server.js";
import { chooseFreePort } from "./port.js";
import { disarmStaleLockFile, findServer, inspectServer, type RunningServer } from "./running-server.js";
import { stopServer } from "./stop-server.js";
import { pause } from "./timing.js";

export type Held =
  | { readonly role: "owner"; readonly server: OwnServer }
  | { readonly role: "attached"; readonly server: RunningServer };

export interface Wish {
  /**
   * `null` accepts any port and prefers the previous one. Otherwise clients know this port, and no other is acceptable.
   */
  readonly port: number | null;
  readonly signal: AbortSignal;
}

/** For backends that outlive a killed server, and for a lock whose holder is invisible to this process. */
const PATIENCE_MS = 30_000;

/**
 * Attaches to the cluster's server, or launches one. If several processes do this at once, PostgreSQL's lock on the
 * directory lets one of them launch; the others retry and find it running.
 */
export async function acquireServer(cluster: Cluster, wish: Wish): Promise<Held> {
  let deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    wish.signal.throwIfAborted();
    const running = await findServer(cluster.directory.pgdata);
    if (running?.ready === true && !running.orphaned) return { role: "attached", server: running };
    const isOnItsWay = running !== null && (!running.orphaned || (await stopOrphan(cluster, running)));
    if (isOnItsWay) deadline = performance.now() + PATIENCE_MS; // starting or stopping; its launcher limits how long that takes
    if (running === null) {
      const held = await launch(cluster, wish);
      if (held !== null) return held;
    }
    await pause(50);
  }
  const why = `${cluster.directory.pgdata} is held by a server that this process cannot see or cannot stop`;
  const remedy = "stop the program that uses it (perhaps in another container), or use a postgres:// URL.";
  throw failure("EMBEDDED_START_FAILED", `${why}: ${remedy}`);
}

/** Stops a server without an owner. Returns `false` if it is still running. */
export async function stopOrphan(cluster: Cluster, { pid }: RunningServer): Promise<boolean> {
  const isGone = async (): Promise<boolean> => (await inspectServer(pid, cluster.directory.pgdata)) === null;
  await stopServer(pid, isGone);
  return isGone();
}

async function launch(cluster: Cluster, wish: Wish): Promise<Held | null> {
  if (await cluster.guards.isTaken(cluster.directory.pgdata)) return null; // its lock file is not stale
  await disarmStaleLockFile(cluster.directory.pgdata);
  const port = wish.port ?? (await rememberedPort(cluster)) ?? (await chooseFreePort());
  const launched = await launchServer(cluster, port);
  if (launched === "directory-taken") return null;
  if (launched !== "port-taken") return own(cluster, launched);
  if (wish.port !== null) throw portTaken(cluster, wish.port);
  await rememberPort(cluster, await chooseFreePort());
  return null;
}

/** The server runs even if its port cannot be saved. */
async function own(cluster: Cluster, server: OwnServer): Promise<Held> {
  const isNoted = (await rememberedPort(cluster)) === server.port;
  if (!isNoted) await rememberPort(cluster, server.port).catch(() => {});
  return { role: "owner", server };
}

async function rememberedPort({ directory }: Cluster): Promise<number | null> {
  const port = Number(await readIfPresent(directory.portFile));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}

const rememberPort = ({ directory, user }: Cluster, port: number): Promise<void> =>
  replaceFile({ path: directory.portFile, content: `${port}\n`, user });

function portTaken({ directory }: Cluster, port: number) {
  const what = `The database in ${directory.path} cannot come back, because another program has taken its port ${port}`;
  return failure("EMBEDDED_START_FAILED", `${what}: stop that program, or start this one again to use another port.`);
}
