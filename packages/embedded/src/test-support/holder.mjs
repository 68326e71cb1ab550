/**
 * A program that uses an embedded server. Options come in HOLDER_OPTIONS, because arguments would appear in the process
 * list, where tests search for leftover servers. Every line of input is a command, every line of output a result.
 */
import { createInterface } from "node:readline";

/** @param {Record<string, unknown>} answer */
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
const { module, options } = /** @type {{ module: string, options: import("../index.js").EmbeddedOptions }} */ (
  JSON.parse(process.env["HOLDER_OPTIONS"] ?? "{}")
);
const { startEmbeddedPostgres } = /** @type {typeof import("../index.js")} */ (await import(module));

try {
  const log = (/** @type {string} */ line) => say({ log: line });
  const held = await startEmbeddedPostgres({ ...options, log });
  const { url, dataDir, version, role } = held;
  say({ started: { url, dataDir, version, role } });
  for await (const command of createInterface(process.stdin)) {
    if (command === "stop") await held.stop();
    if (command === "leave") break; // without a stop
    say({ role: held.role });
  }
  process.stdin.destroy();
} catch (error) {
  const { code, family, message } = /** @type {import("@runledger/contracts").RunledgerError} */ (error);
  say({ refused: { code, family, message } });
}
