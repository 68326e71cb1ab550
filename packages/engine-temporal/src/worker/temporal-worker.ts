/** Starts a worker on a cluster. It runs the workflow and its activities. */
import { fileURLToPath } from "node:url";
import { omitUndefined } from "@runledger/contracts";
import type { StartWorker } from "@runledger/runtime/engine/engine";
import { logWorkerFault } from "@runledger/runtime/engine/worker";
import { errorFields } from "@runledger/runtime/telemetry/log-handlers";
import { processLogger } from "@runledger/runtime/telemetry/process-logger";
import { realTimers } from "@runledger/runtime/time/timers";
import { Client } from "@temporalio/client";
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type LogEntry,
  type WorkflowBundle,
} from "@temporalio/worker";
import { dataConverterOf } from "../client/data-converter.js";
import { definedAttributes } from "../client/search-attributes.js";
import type { SearchAttribute } from "../messages.js";
import type { TemporalSettings } from "../settings.js";
import { connectCluster } from "./connect-cluster.js";
import { DirectWorker } from "./direct-worker.js";
import { Dispatcher } from "./dispatcher.js";
import type { StepWork } from "./step-work.js";

/** The id of an execution is the id of its run. */
function logOfTemporal({ level, message, meta = {} }: LogEntry): void {
  const { workflowId: runId, error } = meta as { readonly workflowId?: string; readonly error?: unknown };
  const fields = {
    part: "temporal",
    ...omitUndefined({ runId }),
    ...(error !== undefined && { err: errorFields(error) }),
  };
  processLogger()[level === "ERROR" ? "error" : "warn"](fields, message);
}

/** Once per process: it cannot be changed later. */
let isQuiet = false;

function quiet(): void {
  if (isQuiet) return;
  isQuiet = true;
  const telemetryOptions = { logging: { filter: { core: "WARN", other: "WARN" } } } as const;
  Runtime.install({ logger: new DefaultLogger("WARN", logOfTemporal), telemetryOptions });
}

/** The ledger's side of a worker. */
interface LedgerWorker {
  readonly work: StepWork;
  /** `stop` stops the SDK's worker. */
  onStop(stop: () => Promise<void>): void;
}

/** Starts a worker that claims runs from the queue of its store. */
export function startTemporalWorker(settings: TemporalSettings, start: StartWorker): Promise<Dispatcher> {
  const dispatcher = (client: Client, attributes: readonly SearchAttribute[]): Dispatcher =>
    new Dispatcher(settings, start, client, attributes);
  return startOnCluster(settings, start, dispatcher);
}

/** Starts a worker on a store without a queue. */
export function startDirectWorker(settings: TemporalSettings, start: StartWorker): Promise<DirectWorker> {
  return startOnCluster(settings, start, (client) => new DirectWorker(settings, start, client));
}

async function startOnCluster<W extends LedgerWorker>(
  settings: TemporalSettings,
  start: StartWorker,
  newWorker: (client: Client, attributes: readonly SearchAttribute[]) => W,
): Promise<W> {
  quiet();
  const { namespace, taskQueue } = settings;
  const { onFault = logWorkerFault(start.options.logger) } = start.options;
  const dataConverter = dataConverterOf(settings.payloadKeys); // wrong keys are refused before anything is connected
  const { connection, native, close } = await connectCluster(settings, start.timers ?? realTimers, (error) =>
    onFault({ error }),
  );
  const client = new Client({ connection, namespace, dataConverter });
  const ledgerWorker = newWorker(client, await definedAttributes(connection, namespace));
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    workflowBundle: await bundle(dataConverter.failureConverterPath),
    dataConverter,
    activities: ledgerWorker.work.activities,
    maxConcurrentActivityTaskExecutions: start.options.concurrency ?? 100,
    stickyQueueScheduleToStartTimeout: "1s",
    shutdownGraceTime: "365 days", // running steps finish; a second stop hands them over
  });
  const running = worker.run();
  ledgerWorker.onStop(async () => {
    if (worker.getState() === "RUNNING") worker.shutdown();
    await running;
    await close();
  });
  return ledgerWorker;
}

function bundle(failureConverterPath: string | undefined): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    logger: new DefaultLogger("WARN", logOfTemporal),
    workflowsPath: fileURLToPath(new URL("../../dist/workflows/index.js", import.meta.url)),
    ...omitUndefined({ failureConverterPath }),
  });
}
