/** The command line in processes of its own, as users run it. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../packages/runledger/bin/runledger.js", import.meta.url));
const PROJECT = fileURLToPath(new URL("runledger.config.mjs", import.meta.url));

/**
 * @typedef {object} ServeProcess
 * @property {string} url
 * @property {string} token
 * @property {() => Promise<void>} stop
 */

/**
 * The API of a store and nothing else.
 * @param {string} store
 * @param {NodeJS.ProcessEnv} [variables]
 * @returns {Promise<ServeProcess>}
 */
export async function startServe(store, variables = {}) {
  const state = await mkdtemp(join(tmpdir(), "runledger-bench-serve-"));
  const args = [BIN, "serve", "--json", "--port", "0", "--roles", "api", "--config", PROJECT, "--store", store];
  const env = { ...process.env, ...variables, XDG_STATE_HOME: state };
  const child = spawn(process.execPath, args, { env, cwd: state, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = /** @type {[string]} */ (await once(createInterface({ input: child.stdout }), "line"));
  const { url } = /** @type {{ url: string }} */ (JSON.parse(line));
  const token = execFileSync(process.execPath, [BIN, "keys", "token", "--store", store], { env, cwd: state });
  return {
    url,
    token: token.toString().trim(),
    stop: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      await rm(state, { recursive: true, force: true });
    },
  };
}
