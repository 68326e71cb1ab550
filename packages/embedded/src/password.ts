import { randomBytes } from "node:crypto";
import { rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { failure, hasErrorCode } from "./failures.js";
import { createFileOnce, readIfPresent, syncDirectory } from "./files.js";
import type { ServerUser } from "./server-user.js";

/**
 * Each cluster has one password, created once, in a file that only its owner can read. The file belongs to the server's
 * user, because initdb reads it.
 */
export async function loadOrCreatePassword(file: string, user: ServerUser | null): Promise<string> {
  const known = await readIfPresent(file);
  if (known !== null) return known;
  await removeEmpty(file);
  await createFileOnce({ path: file, content: `${randomBytes(24).toString("base64url")}\n`, user });
  const agreed = await readIfPresent(file);
  if (agreed === null) throw failure("EMBEDDED_START_FAILED", `${file} is empty: remove it, then start again.`);
  return agreed;
}

/**
 * Replaces the password of a cluster whose password file is missing. Concurrent processes, and a process after a crash,
 * use the same candidate, so that the file and the cluster agree in the end.
 */
export async function replacePassword(
  file: string,
  user: ServerUser | null,
  apply: (password: string) => Promise<void>,
): Promise<void> {
  const candidate = `${file}.new`;
  await apply(await loadOrCreatePassword(candidate, user));
  try {
    await rename(candidate, file);
    await syncDirectory(dirname(file));
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error; // else another process has just done it
  }
}

/** An empty file holds no password and would prevent creating a new one. */
async function removeEmpty(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= 1) await rm(file, { force: true });
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}
