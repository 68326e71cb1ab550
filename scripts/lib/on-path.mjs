import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns `true` if a program of this name is on the PATH. @param {string} command */
export function isOnPath(command) {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => isExecutable(join(folder, command)));
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
