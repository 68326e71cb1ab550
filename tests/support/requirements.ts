import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "vitest";

/** What a suite needs beyond npm: null when it is there, else the reason to leave the suite out. */
export type Requirement = () => string | null;

/** A program on the PATH. */
export function requireTool(command: string): Requirement {
  return () => (isOnPath(command) ? null : `${command} is not installed`);
}

/**
 * A `describe` that is left out, by name and with the reason, where something it needs is missing. Its body is then not
 * run at all, so that no hook starts half of a suite.
 */
export function describeWith(name: string, needs: readonly Requirement[], body: () => void): void {
  const missing = needs.map((need) => need()).filter((reason) => reason !== null);
  if (missing.length === 0) describe(name, body);
  else test(name, (context) => context.skip(missing.join("; ")));
}

function isOnPath(command: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => isExecutable(join(folder, command)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
