import { execFile, spawn } from "node:child_process";
import { inRepository, root } from "./repository.mjs";

/** @typedef {{ cwd?: string, env?: Record<string, string> }} RunOptions */

/** @param {string} name a tool that npm installed into this repository */
export const tool = (name) => inRepository(`node_modules/.bin/${name}`);

/**
 * Runs a program to its end with our own input and output; no shell is involved.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<number>} the exit code; 128 when a signal ended it, 127 when it could not start
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: options.cwd ?? root, env: environment(options), stdio: "inherit" });
    child.once("error", (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      resolve(127);
    });
    child.once("exit", (code) => resolve(code ?? 128));
  });
}

/**
 * Runs a program and returns its output. Writes `input` to it. Kills it after `timeoutMs`.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions & { timeoutMs?: number, input?: string }} [options]
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} codes as those of `run`
 */
export function capture(command, args, options = {}) {
  return new Promise((resolve) => {
    const { cwd = root, timeoutMs = 0 } = options;
    const settings = {
      cwd,
      env: environment(options),
      timeout: timeoutMs,
      killSignal: /** @type {const} */ ("SIGKILL"),
    };
    const child = execFile(
      command,
      args,
      { ...settings, encoding: "utf8", maxBuffer: MAX_OUTPUT },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ code: 0, stdout, stderr });
        const why = error.killed === true ? `killed after ${timeoutMs} ms` : error.message;
        resolve({ code: typeof error.code === "number" ? error.code : 128, stdout, stderr: stderr || why });
      },
    );
    if (options.input !== undefined) child.stdin?.end(options.input);
  });
}

const MAX_OUTPUT = 64 * 1024 * 1024;

/** @param {RunOptions} options */
const environment = (options) => ({ ...process.env, ...options.env });
