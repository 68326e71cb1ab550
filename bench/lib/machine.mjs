import { cpus, totalmem } from "node:os";

/**
 * Where and when the numbers were taken.
 * @param {string} server
 */
export function machine(server) {
  const cores = cpus();
  const model = cores[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cores.length} cores (${model}), ${memory}, Node ${process.versions.node}, ${server}`;
}
