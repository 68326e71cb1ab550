/** The activities of one worker, with the runners of its steps and the signal that hands running steps over. */
import { setMaxListeners } from "node:events";
import { omitUndefined, type PlanRef } from "@runledger/contracts";
import { newDecider } from "@runledger/runtime/engine/decider";
import type { StartWorker } from "@runledger/runtime/engine/engine";
import type { EngineDeps } from "@runledger/runtime/engine/engine-deps";
import { Isolation } from "@runledger/runtime/engine/isolation";
import { Runners } from "@runledger/runtime/engine/runners";
import { processLogger } from "@runledger/runtime/telemetry/process-logger";
import { redactedLogger } from "@runledger/runtime/telemetry/redacted-logger";
import { realTimers } from "@runledger/runtime/time/timers";
import type { CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import { RunActivities } from "../activities/run-activities.js";
import type { TemporalSettings } from "../settings.js";

export interface StepWorkParts {
  /** The store's time. */
  readonly now: () => number;
  readonly workflowOf: (plan: PlanRef) => CompiledWorkflow | undefined;
}

export class StepWork {
  readonly activities: object;
  readonly #runners: Runners;
  readonly #handOver = new AbortController();

  constructor(settings: TemporalSettings, start: StartWorker, { now, workflowOf }: StepWorkParts) {
    const { id, store, options, children, timers = realTimers } = start;
    setMaxListeners(0, this.#handOver.signal); // every running activity listens
    this.#runners = new Runners(options, timers);
    const isolation = new Isolation({ isAlone: () => true, drainOthers: () => {}, onLeft: () => {} });
    const deps: EngineDeps = { workerId: id, runners: this.#runners, timers, children, newDecider, isolation };
    const { onAlert: alert = () => {}, onFault: reportFault = () => {} } = options;
    const logger = redactedLogger(() => options.logger ?? processLogger(), this.#runners.redactor);
    const { checkpointInterval } = options;
    const tools = { now, redactor: this.#runners.redactor, alert, reportFault, logger };
    const shared = { ...tools, ...omitUndefined({ checkpointInterval }) };
    const heartbeatMs = settings.heartbeatTimeoutMs / 4;
    const handOver = this.#handOver.signal;
    const parts = { store, deps, shared, heartbeatMs, handOver, workflowOf };
    const { load, readNews, append, park, work } = new RunActivities(parts);
    this.activities = { load, readNews, append, park, work };
  }

  /** Lets other workers run the steps that run here. */
  handOver(): void {
    this.#handOver.abort();
  }

  close(): Promise<void> {
    return this.#runners.close();
  }
}
