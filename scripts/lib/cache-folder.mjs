import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Root's own home is closed to the unprivileged user that a server has to run as. */
function cacheFolder() {
  if (process.getuid?.() === 0) return "/var/cache/runledger";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "runledger");
}

/**
 * A folder of this name outside of the checkout, made once by `fill`, which is given an empty one. It appears when it is
 * complete: of several who make it at once, the first one's is used.
 * @param {string} name
 * @param {(draft: string) => Promise<void>} fill
 * @returns {Promise<string>}
 */
export async function cached(name, fill) {
  const target = join(cacheFolder(), name);
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
