import { createHash } from "node:crypto";
import { chmod, cp, lstat, mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { failure, hasErrorCode } from "./failures.js";
import { draftName, makeFolders, removeAbandonedDrafts } from "./files.js";
import type { PlatformPackage } from "./platform-package.js";

/**
 * A directory of links to all libraries of the npm package: each library searches for the others in its own directory.
 */
export function linksForPackage(npm: PlatformPackage, cacheDir: string | undefined): Promise<string> {
  const place = createHash("sha256").update(npm.native).digest("hex").slice(0, 16);
  return buildOnce(cacheDir, `links-${npm.id}-${place}`, async (draft) => {
    const files = await readdir(join(npm.native, "lib"));
    const missing = npm.links.map(({ name, standsFor }) => [basename(name), basename(standsFor)] as const);
    const links = new Map([...files.map((file) => [file, file] as const), ...missing]);
    for (const [name, standsFor] of links) await symlink(join(npm.native, "lib", standsFor), join(draft, name));
  });
}

/** A complete copy with its links that every user can run. */
export function copyOfPackage(npm: PlatformPackage, cacheDir: string | undefined): Promise<string> {
  return buildOnce(cacheDir, `copy-${npm.id}`, async (draft) => {
    await cp(npm.native, draft, { recursive: true, verbatimSymlinks: true });
    await openForReading(draft);
    for (const { name, standsFor } of npm.links) {
      await rm(join(draft, name), { force: true });
      await symlink(basename(standsFor), join(draft, name));
    }
  });
}

/**
 * Builds the entry under another name and renames it: an entry is complete or absent, even if several processes build
 * it.
 */
async function buildOnce(
  cacheDir: string | undefined,
  name: string,
  fill: (draft: string) => Promise<void>,
): Promise<string> {
  const cache = cacheDir ?? defaultCache();
  const entry = join(cache, name);
  await openCache(cache);
  if (await exists(entry)) return entry;
  await removeAbandonedDrafts(cache);
  const draft = draftName(cache);
  try {
    await mkdir(draft);
    await fill(draft);
    await chmod(draft, 0o755);
    await rename(draft, entry);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(entry))) throw cacheFailure(cache, error); // else another process was faster
  }
  return entry;
}

/** The home of root is closed to the user that runs the server. */
function defaultCache(): string {
  if (process.getuid?.() === 0) return "/var/cache/runledger";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "runledger");
}

/** Programs are started from here: it must be ours, and no other user may write to it. */
async function openCache(cache: string): Promise<void> {
  const created = await makeFolders(cache).catch((error: unknown) => {
    throw cacheFailure(cache, error);
  });
  if (created !== undefined) await chmod(cache, 0o755);
  const { uid, mode } = await lstat(cache);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  const remedy = `remove it, or run chown ${process.getuid?.()} and chmod go-w on it.`;
  throw failure("EMBEDDED_PERMISSION", `${cache}, from which PostgreSQL would run, is open to other users: ${remedy}`);
}

function cacheFailure(cache: string, error: unknown) {
  if (hasErrorCode(error, "ENOSPC", "EDQUOT"))
    return failure("EMBEDDED_DISK_FULL", `The disk of ${cache} is full: free 100 MB, then start again.`, error);
  const remedy = "make it writable, or set XDG_CACHE_HOME to a directory that is.";
  return failure("EMBEDDED_PERMISSION", `PostgreSQL's programs cannot be put into ${cache}: ${remedy}`, error);
}

/** The originals may be closed to other users, by the umask under which they were installed. */
async function openForReading(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = basename(dirname(path)) === "bin";
    await chmod(path, entry.isDirectory() || isProgram ? 0o755 : 0o644);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}
