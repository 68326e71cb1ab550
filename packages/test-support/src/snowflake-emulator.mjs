/** Starts the emulator for tests and the bench: its packages are pinned in the cache folder, and it exits with its parent. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";

const folder = inRepository("packages/store-snowflake/tests/emulator");

/** Without this the driver searches for cloud platforms and loads a binary. */
Object.assign(process.env, {
  SNOWFLAKE_DISABLE_PLATFORM_DETECTION: "true",
  SNOWFLAKE_DISABLE_MINICORE: "1",
  SF_TELEMETRY_DISABLE_CONNECTION_SHAPE: "1",
});

/**
 * @typedef {object} Emulator
 * @property {(schema: string, parameters?: Record<string, string>) => string} url of a store in a schema of this name
 * @property {string} address
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<string>} a folder with the packages of requirements.txt */
export async function emulatorPackages() {
  const requirements = join(folder, "requirements.txt");
  const content = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const packages = await cached(`snowflake-emulator-${content}`, async (draft) => {
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", draft];
    const { code, stderr } = await capture("python3", [...args, "--requirement", requirements]);
    if (code !== 0) throw new Error(`pip install of ${requirements} failed: ${stderr}`);
  });
  return packages;
}

/**
 * @param {Record<string, string>} [settings] its environment, EMULATOR_…
 * @returns {Promise<Emulator>}
 */
export async function startEmulator(settings = {}) {
  const packages = await emulatorPackages();
  const port = await freePort();
  const child = spawn("python3", [join(folder, "server.py"), String(port)], {
    cwd: tmpdir(), // keeps temporary files of its database out of the checkout
    env: { ...process.env, ...settings, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => (said = `${said}${text}`.slice(-4000)));
  const address = `http://127.0.0.1:${port}`;
  await answering(address, () => (child.exitCode === null ? null : said));
  return {
    address,
    url: (schema, parameters = {}) =>
      `snowflake://tester:secret@emulator/RUNLEDGER/${schema}?${new URLSearchParams({ accessUrl: address, ...parameters }).toString()}`,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null && child.kill()) await ended;
    },
  };
}

/** @returns {Promise<number>} */
async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** @param {string} address @param {() => string | null} ended */
async function answering(address, ended) {
  for (let i = 0; i < 600; i++) {
    const why = ended();
    if (why !== null) throw new Error(`The emulator exited: ${why}`);
    if (await fetch(`${address}/telemetry/send`, { method: "POST" }).then(isOk, () => false)) return;
    await sleep(50);
  }
  throw new Error("The emulator did not respond");
}

/** @param {Response} response */
const isOk = (response) => response.ok;
