import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Root's own home is closed to the unprivileged user that a server has to run as. */
function cacheFolder() {
  const configured = process.env["RUNLEDGER_TEST_CACHE"] ?? "";
  if (configured !== "") return configured;
  if (process.getuid?.() === 0) return "/var/cache/runledger";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "runledger");
}

/** @param {string} name */
export function cachedPath(name) {
  return join(cacheFolder(), name);
}

/**
 * A folder of this name outside of the checkout, made once by `fill`, which is given an empty one. It appears when it is
 * complete: of several who make it at once, the first one's is used.
 * @param {string} name
 * @param {(draft: string) => Promise<void>} fill
 * @returns {Promise<string>}
 */
export async function cached(name, fill) {
  const target = cachedPath(name);
  if (existsSync(target)) return target;
  mkdirSync(cacheFolder(), { recursive: true });
  const draft = mkdtempSync(`${target}.`);
  try {
    await fill(draft);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}
