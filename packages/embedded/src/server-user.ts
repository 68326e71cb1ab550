import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { failure, hasErrorCode } from "./failures.js";

export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root runs it as another user: the owner of the existing cluster, otherwise an
 * unprivileged user with a name (initdb looks it up). Returns `null` if this process is not root.
 */
export async function chooseServerUser(dataDir: string): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  return (await clusterOwner(join(resolve(dataDir), "pgdata"))) ?? (await unprivilegedUser());
}

async function clusterOwner(pgdata: string): Promise<ServerUser | null> {
  try {
    const { uid, gid } = await stat(pgdata);
    if (uid !== 0) return { name: `with id ${uid}`, uid, gid };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
  const { name } = await unprivilegedUser();
  const remedy = `run chown -R ${name} "${pgdata}", then start again.`;
  throw failure("EMBEDDED_PERMISSION", `${pgdata} belongs to root, but PostgreSQL does not run as root: ${remedy}`);
}

async function unprivilegedUser(): Promise<ServerUser> {
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map(parseUser);
  const user = users.find(({ name }) => name === "postgres") ?? users.find(({ name }) => name === "nobody");
  if (user !== undefined && user.uid !== 0) return user;
  throw failure(
    "EMBEDDED_PERMISSION",
    "PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it as: start as another user, or use a postgres:// URL.",
  );
}

function parseUser(line: string): ServerUser {
  const [name = "", , uid, gid] = line.split(":");
  return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }; // on macOS `nobody` has the id -2
}
