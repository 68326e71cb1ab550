import type { Cluster } from "./cluster.js";
import { failure } from "./failures.js";
import { readIfThere, replaceFile } from "./files.js";
import { launchServer, type OwnServer } from "./launch-server.js";
import { chooseFreePort } from "./port.js";
import { disarmStaleLockFile, findServer, inspectServer, type RunningServer } from "./running-server.js";
import { stopServer } from "./stop-server.js";
import { pause } from "./timing.js";

export type Held =
  | { readonly role: "owner"; readonly server: OwnServer }
  | { readonly role: "attached"; readonly server: RunningServer };

export interface Wish {
  /** Null = any port will do, best the one it had; else clients know this one, and no other will do. */
  readonly port: number | null;
  readonly signal: AbortSignal;
}

const PATIENCE_MS = 150_000;

/**
 * Attaches to the cluster's server, or launches one. However many do this at once, PostgreSQL's lock on the directory
 * lets one of them launch; the others come round again and find it running.
 */
export async function acquireServer(cluster: Cluster, wish: Wish): Promise<Held> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    wish.signal.throwIfAborted();
    const held = await tryToHold(cluster, wish);
    if (held !== null) return held;
    await pause(50);
  }
  const why = `${cluster.directory.pgdata} is held by a server that this process cannot see or that does not get ready`;
  const remedy = "stop the program that uses it (perhaps in another container), or use a postgres:// URL.";
  throw failure("EMBEDDED_START_FAILED", `${why}: ${remedy}`);
}

async function tryToHold(cluster: Cluster, wish: Wish): Promise<Held | null> {
  const { pgdata } = cluster.directory;
  const running = await findServer(pgdata);
  if (running === null) {
    await disarmStaleLockFile(pgdata);
    return launch(cluster, wish);
  }
  if (running.orphaned) {
    await stopServer(running.pid, async () => (await inspectServer(running.pid, pgdata)) === null);
    return null;
  }
  return running.ready ? { role: "attached", server: running } : null;
}

async function launch(cluster: Cluster, wish: Wish): Promise<Held | null> {
  const port = wish.port ?? (await rememberedPort(cluster)) ?? (await chooseFreePort());
  const launched = await launchServer(cluster, port);
  if (launched === "directory-taken") return null;
  if (launched !== "port-taken") return own(cluster, launched);
  if (wish.port !== null) throw portTaken(cluster, wish.port);
  await rememberPort(cluster, await chooseFreePort());
  return null;
}

async function own(cluster: Cluster, server: OwnServer): Promise<Held> {
  if ((await rememberedPort(cluster)) !== server.port) await rememberPort(cluster, server.port);
  return { role: "owner", server };
}

async function rememberedPort({ directory }: Cluster): Promise<number | null> {
  const port = Number(await readIfThere(directory.portFile));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}

const rememberPort = ({ directory, user }: Cluster, port: number): Promise<void> =>
  replaceFile({ path: directory.portFile, content: `${port}\n`, user });

function portTaken({ directory }: Cluster, port: number) {
  const what = `The database in ${directory.path} cannot come back, because another program has taken its port ${port}`;
  return failure("EMBEDDED_START_FAILED", `${what}: stop that program, or start this one again to use another port.`);
}
