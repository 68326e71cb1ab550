import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Peers live below bench/ only; a fresh checkout has none until they are needed. */
export function installPeers() {
  if (changedAt("../node_modules/.package-lock.json") >= changedAt("../package-lock.json")) return;
  const prefix = fileURLToPath(new URL("..", import.meta.url));
  process.stderr.write("bench: installing peers\n");
  const { status } = spawnSync("npm", ["ci", "--prefix", prefix, "--ignore-scripts"], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`npm ci --prefix ${prefix} failed.`);
}

/** @param {string} path */
function changedAt(path) {
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
