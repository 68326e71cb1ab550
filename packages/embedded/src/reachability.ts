import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { runProgram } from "./run-program.js";
import type { ServerUser } from "./server-user.js";

/** Returns the nearest existing directory on the path, with symbolic links resolved. */
export async function existingPart(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) return realpath(path);
  return dirname(path) === path ? path : existingPart(dirname(path));
}

/**
 * Returns the outermost directory on the path, including the last, that the user cannot enter. `null` if there is none.
 */
export async function closedDirectoryOn(directory: string, user: ServerUser): Promise<string | null> {
  if (await canEnter(directory, user)) return null;
  const outer = dirname(directory);
  return outer === directory ? directory : ((await closedDirectoryOn(outer, user)) ?? directory);
}

/** Lets the kernel check as that user, because modes do not include access lists. */
export async function canEnter(directory: string, user: ServerUser | null): Promise<boolean> {
  const { code } = await runProgram({ command: "test", args: ["-x", directory], user });
  return code !== 1; // any other code means that the check failed; then starting the server shows the result
}
