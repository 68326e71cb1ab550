/** Servers that tests start beside the embedded one: on a free port, as an unprivileged user, gone with the test. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Unpacked } from "./debian-packages.js";

export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Root must not run them; anyone else runs them as themselves. */
export function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((user) => /^(postgres|nobody):/.test(user))!;
  const [, , uid, gid] = line.split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

export function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `runledger-${name}-`));
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  return folder;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export async function listening(port: number, child: ChildProcess, log: () => string): Promise<void> {
  for (let i = 0; i < 1200; i++) {
    if (child.exitCode !== null) throw new Error(`The server ended: ${log()}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error(`The server did not answer: ${log()}`);
}

async function start(
  command: string,
  args: readonly string[],
  folder: string,
  port: number,
  env: object,
): Promise<() => Promise<void>> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    ...serverUser(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stdout.on("data", (text) => (log += text));
  child.stderr.on("data", (text) => (log += text));
  await listening(port, child, () => log);
  return async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGINT")) await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  };
}

/** A PostgreSQL of another version; `bin` is where its programs lie. */
export async function startPostgres({ root, env }: Unpacked, bin: string): Promise<TestServer> {
  const folder = ownFolder("postgres");
  const data = join(folder, "data");
  const programs = join(root, bin);
  const settings = { env: { ...process.env, ...env }, ...serverUser(), stdio: "pipe" as const };
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "runledger", "--auth=trust", "-E", "UTF8", "--locale=C"],
    settings,
  );
  const port = await freePort();
  const options = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder}`, "fsync=off"];
  const args = ["-D", data, ...options.flatMap((option) => ["-c", option])];
  return {
    url: `postgres://runledger@127.0.0.1:${port}/postgres`,
    stop: await start(join(programs, "postgres"), args, folder, port, env),
  };
}

/** pgbouncer in transaction mode in front of a database: the mode that breaks what belongs to a session. */
export async function startPgbouncer({ root, env }: Unpacked, target: string): Promise<TestServer> {
  const folder = ownFolder("pgbouncer");
  const port = await freePort();
  const server = new URL(target);
  const credentials = `user=${server.username} password=${decodeURIComponent(server.password)}`;
  writeFileSync(join(folder, "users.txt"), `"${server.username}" ""\n`, { mode: 0o644 });
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    [
      "[databases]",
      `* = host=${server.hostname} port=${server.port} ${credentials}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      "auth_type = trust\nauth_file = users.txt",
      "pool_mode = transaction\ndefault_pool_size = 5\nmax_client_conn = 500",
    ].join("\n"),
    { mode: 0o644 },
  );
  const stop = await start(join(root, "usr/sbin/pgbouncer"), ["pgbouncer.ini"], folder, port, env);
  const url = new URL(target);
  url.port = String(port);
  url.password = "";
  return { url: url.href, stop };
}
