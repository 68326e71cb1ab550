import { chmod, readdir, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { InputError } from "@runledger/contracts";
import { canEnter, closedDirectoryOn, existingPart } from "./reachability.js";
import { failure, hasErrorCode } from "./failures.js";
import { makeFolders, removeAbandonedDrafts, syncDirectory } from "./files.js";
import type { ServerUser } from "./server-user.js";

export interface DataDirectory {
  readonly path: string;
  readonly pgdata: string;
  readonly passwordFile: string;
  readonly portFile: string;
  readonly logFile: string;
}

/** PostgreSQL cuts paths at 1024 bytes, and its own files are about 100 bytes longer. */
const LONGEST_PATH = 900;

export function checkDataDir(dataDir: unknown): asserts dataDir is string {
  const field = "dataDir";
  if (typeof dataDir !== "string" || dataDir.trim() === "")
    throw new InputError("OPTION_INVALID", field, "must be the path of a directory.");
  if (/[\0\n\r]/.test(dataDir)) throw new InputError("OPTION_INVALID", field, "must not hold line breaks.");
  if (Buffer.byteLength(resolve(dataDir)) > LONGEST_PATH)
    throw new InputError("OPTION_INVALID", field, `must be at most ${LONGEST_PATH} bytes long, as an absolute path.`);
}

export async function prepareDataDirectory(dataDir: string, user: ServerUser | null): Promise<DataDirectory> {
  const wanted = resolve(dataDir);
  await refuseUnreachable(dirname(wanted), user);
  const firstCreated = await makeFolders(wanted);
  const path = await realpath(wanted);
  const content = await readdir(path);
  if (firstCreated !== undefined) await settleNewDirectories(await realpath(firstCreated), path, user);
  if (content.length === 0) await keepOutOfGit(path);
  if (content.length === 0 || content.includes("pgdata")) await letIn(path, user);
  await refuseUnreachable(path, user);
  await removeAbandonedDrafts(path);
  return {
    path,
    pgdata: join(path, "pgdata"),
    passwordFile: join(path, "password"),
    portFile: join(path, "port"),
    logFile: join(path, "server.log"),
  };
}

/** We must not open directories of other users, so this only reports the one that blocks the path. */
async function refuseUnreachable(directory: string, user: ServerUser | null): Promise<void> {
  const closed = user === null ? null : await closedDirectoryOn(await existingPart(directory), user);
  if (closed === null || user === null) return;
  const why = `PostgreSQL does not run as root, and the user ${user.name} cannot enter ${closed}`;
  const remedy = `choose a dataDir elsewhere (for example below /var/lib), run chmod o+x "${closed}", or start as another user.`;
  throw failure("EMBEDDED_UNREACHABLE", `${why}: ${remedy}`);
}

/** New directories must survive a power cut, and must let the server's user pass under any umask. */
async function settleNewDirectories(first: string, last: string, user: ServerUser | null): Promise<void> {
  const steps = relative(first, last).split(sep).filter(Boolean);
  const created = steps.reduce((paths, step) => [...paths, join(paths.at(-1)!, step)], [first]);
  for (const directory of created) {
    await letIn(directory, user);
    await syncDirectory(dirname(directory));
  }
}

/** Grants entry only: the contents are closed to other users by their own modes. */
async function letIn(directory: string, user: ServerUser | null): Promise<void> {
  if (user === null || (await canEnter(directory, user))) return;
  const { mode } = await stat(directory);
  await chmod(directory, (mode & 0o7777) | 0o011);
}

async function keepOutOfGit(directory: string): Promise<void> {
  try {
    await writeFile(join(directory, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}
