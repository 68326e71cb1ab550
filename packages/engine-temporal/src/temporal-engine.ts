import { newEngine, type Engine } from "@runledger/runtime/engine/engine";
import type { TemporalOptions } from "@runledger/runtime/engine/temporal-options";
import { settingsOf } from "./settings.js";

/**
 * Executes runs on a Temporal cluster. Pass it to `ledger.worker({ engine })` or `connect(url, { engine })`, or name it in
 * `runledger.config.ts`.
 */
export function temporalEngine(options: TemporalOptions = {}): Engine {
  const settings = settingsOf(options);
  return newEngine("temporal", {
    settlesGaps: true,
    workerId: `temporal-${settings.namespace}-${settings.taskQueue}`,
    startWorker: async (start) => {
      const { startTemporalWorker } = await import("./worker/temporal-worker.js"); // the SDK takes a second to load
      return startTemporalWorker(settings, start);
    },
    direct: {
      connect: async () => {
        const { DirectExecutions } = await import("./client/direct-executions.js");
        return DirectExecutions.connect(settings);
      },
      startWorker: async (start) => {
        const { startDirectWorker } = await import("./worker/temporal-worker.js");
        return startDirectWorker(settings, start);
      },
    },
  });
}
