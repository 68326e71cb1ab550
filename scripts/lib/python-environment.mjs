import { join } from "node:path";
import { capture } from "./spawn.mjs";

const INSTALL_MS = 900_000;

/**
 * Creates a virtual environment of Python with these packages.
 * @param {string} folder
 * @param {readonly string[]} packages
 */
export async function installPython(folder, packages) {
  await must("python3", ["-m", "venv", folder], folder);
  await must(join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", ...packages], folder);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
async function must(command, args, cwd) {
  const { code, stderr } = await capture(command, args, { cwd, timeoutMs: INSTALL_MS });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}
