import { randomBytes } from "node:crypto";
import { chown, link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasErrorCode } from "./failures.js";
import type { ServerUser } from "./server-user.js";

/** Makes changes of a directory survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

interface NewFile {
  readonly path: string;
  readonly content: string;
  /** `null` if the file belongs to the user of this process. */
  readonly user: ServerUser | null;
}

/** Replaces a file: a reader sees the old content or the new, never a part. */
export async function replaceFile(file: NewFile): Promise<void> {
  const draft = await writeDraft(file);
  await rename(draft, file.path);
  await syncDirectory(dirname(file.path));
}

/** Creates a file unless it exists. If several processes try at once, one succeeds, and all read its content. */
export async function createFileOnce(file: NewFile): Promise<void> {
  const draft = await writeDraft(file);
  try {
    await link(draft, file.path);
    await syncDirectory(dirname(file.path));
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns `null` if the file does not exist or is empty. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    const content = (await readFile(path, "utf8")).trim();
    return content === "" ? null : content;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

const DRAFT = ".draft-";
const ABANDONED_AFTER_MS = 10 * 60_000;

/** A name beside the final one, so that only a rename remains. */
export const draftName = (directory: string): string => join(directory, `${DRAFT}${randomBytes(8).toString("hex")}`);

/** Removes drafts that killed processes left. In containers pids prove nothing, so the age decides. */
export async function removeAbandonedDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(DRAFT) && (await isAbandoned(join(directory, name))))
      await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_AFTER_MS;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false; // finished meanwhile
    throw error;
  }
}

async function writeDraft({ path, content, user }: NewFile): Promise<string> {
  const draft = draftName(dirname(path));
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
    if (user !== null) await chown(draft, user.uid, user.gid);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return draft;
}

/**
 * Creates a folder and those above it. Returns the first that it created. A recursive `mkdir` of Node never returns in a
 * file system like /proc, which refuses a new folder with ENOENT.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  const outer = (await kindOf(dirname(path))) !== "none" ? undefined : await makeFolders(dirname(path), mode);
  try {
    await mkdir(path, { mode });
    return outer ?? path;
  } catch (error) {
    if ((await kindOf(path)) === "folder") return outer;
    throw error;
  }
}

const kindOf = (path: string): Promise<"folder" | "other" | "none"> =>
  stat(path).then(
    (found) => (found.isDirectory() ? "folder" : "other"),
    () => "none",
  );
