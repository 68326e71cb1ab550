import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { FatalStepError } from "../../workflow/step-errors.js";

/** Finds a program, so that a missing program is distinguished from a failing one. */
export async function findProgram(name: string, { path, cwd }: { path: string; cwd: string }): Promise<string> {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const places = name.includes("/") || isAbsolute(name) ? [resolve(cwd, name)] : folders.map((at) => join(at, name));
  for (const place of places) if (await isProgram(place)) return place;
  throw new FatalStepError("COMMAND_NOT_FOUND", `There is no program ${name} on the worker's PATH.`);
}

export async function checkFolder(cwd: string): Promise<void> {
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new FatalStepError("COMMAND_INVALID", `cwd is ${cwd}, which is no folder on this worker.`);
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
