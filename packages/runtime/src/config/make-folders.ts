import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder and those above it. Returns the first that it created. A recursive `mkdir` of Node never returns in a
 * file system like /proc, which refuses a new folder with ENOENT. `@runledger/embedded` has the same function, because
 * neither package may require the other.
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
