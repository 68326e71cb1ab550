import { randomBytes } from "node:crypto";
import { rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { failure, hasErrorCode } from "./failures.js";
import { createFileOnce, readIfThere, syncDirectory } from "./files.js";
import type { ServerUser } from "./server-user.js";

/**
 * One password per cluster, made once and kept in a file that only its owner can read. It belongs to the server's user,
 * since initdb reads it.
 */
export async function agreeOnPassword(file: string, user: ServerUser | null): Promise<string> {
  const known = await readIfThere(file);
  if (known !== null) return known;
  await removeEmpty(file);
  await createFileOnce({ path: file, content: `${randomBytes(24).toString("base64url")}\n`, user });
  const agreed = await readIfThere(file);
  if (agreed === null) throw failure("EMBEDDED_START_FAILED", `${file} is empty: remove it, then start again.`);
  return agreed;
}

/**
 * For a cluster whose password file is gone. Whoever comes along, at once or after a crash half-way, works with the
 * same candidate, so that the file and the cluster agree in the end.
 */
export async function replacePassword(
  file: string,
  user: ServerUser | null,
  apply: (password: string) => Promise<void>,
): Promise<void> {
  const candidate = `${file}.new`;
  await apply(await agreeOnPassword(candidate, user));
  try {
    await rename(candidate, file);
    await syncDirectory(dirname(file));
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error; // else another process has just done it
  }
}

/** An empty file is nobody's password, and would keep a new one from being made. */
async function removeEmpty(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= 1) await rm(file, { force: true });
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}
