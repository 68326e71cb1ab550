import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { runProgram } from "./run-program.js";
import type { ServerUser } from "./server-user.js";

/** The nearest directory on the way that is there, with symbolic links resolved. */
export async function existingPart(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) return realpath(path);
  return dirname(path) === path ? path : existingPart(dirname(path));
}

/** The outermost directory on the way to (and including) this one that the user cannot enter, or null. */
export async function closedDirectoryOn(directory: string, user: ServerUser): Promise<string | null> {
  if (await canEnter(directory, user)) return null;
  const outer = dirname(directory);
  return outer === directory ? directory : ((await closedDirectoryOn(outer, user)) ?? directory);
}

/** Asked of the kernel as that user, since modes alone do not know about access lists. */
export async function canEnter(directory: string, user: ServerUser | null): Promise<boolean> {
  const { code } = await runProgram({ command: "test", args: ["-x", directory], user });
  return code !== 1; // anything else says that the question could not be asked; the server's own start will tell
}
