import { cpus, totalmem } from "node:os";

/**
 * Describes the machine of the measurement.
 * @param {string} server
 */
export function machine(server) {
  const cores = cpus();
  const model = cores[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${cores.length} cores (${model}), ${memory}, Node ${process.versions.node}, ${server}`;
}
