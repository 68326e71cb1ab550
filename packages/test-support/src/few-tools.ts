/** A PATH with the tools that `npm test` needs, and with nothing else. */
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isOnPath } from "../../../scripts/lib/on-path.mjs";

const COREUTILS =
  "basename cat chmod chown cp cut date dd dirname echo env false head id ln ls mkdir mktemp mv printf pwd readlink rm " +
  "rmdir sleep sort stat stty tail tee test touch tr true uname uniq wc yes";
const TOOLS = ["node", "npm", "npx", "git", "sh", ...COREUTILS.split(" ")];

/** Fills `folder` with links to the tools, and returns it as a PATH. */
export function pathWithFewTools(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const tool of TOOLS.filter(isOnPath)) symlinkSync(locationOf(tool), join(folder, tool));
  return folder;
}

function locationOf(tool: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    try {
      return realpathSync(join(folder, tool));
    } catch {
      continue; // it is in another folder
    }
  }
  throw new Error(`${tool} is not on the PATH.`);
}
