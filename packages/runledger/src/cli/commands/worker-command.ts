import type { Command } from "commander";
import { omitUndefined, StopError, workerGapText, type UnservedPlan } from "@runledger/contracts";
import { withoutPassword } from "@runledger/runtime/config/store-url";
import type { Ledger, LedgerOptions } from "@runledger/runtime/ledger/ledger";
import type { Metrics } from "@runledger/runtime/telemetry/metrics";
import { startTelemetry } from "@runledger/runtime/telemetry/start-telemetry";
import type { RunledgerConfig } from "../../config/define-config.js";
import { alertsOf } from "../../config/alert-config.js";
import { loadEngine, resolveEngine } from "../../config/engine-config.js";
import { withEngineSecrets } from "../../config/engine-secrets.js";
import { count } from "../render/format.js";
import { startCommand } from "../render/start-command.js";
import { openLedgerWhenReachable } from "../backend/open-ledger.js";
import { loadProject, storeOptionsOf, storeUrl, type GlobalOptions } from "../global-options.js";
import { exitAfter, stopSignal, workUntilStopped } from "../stop-signals.js";
import { printNext, paint, print, printJson } from "../render/terminal.js";
import { openLog } from "../render/open-log.js";
import { parsePort } from "./parse-port.js";
import type { WorkerHealth } from "./worker-health.js";

export function addWorkerCommand(program: Command): void {
  program
    .command("worker")
    .summary("run the steps of this project's workflows")
    .description(
      "Runs the steps of this project's workflows until it is stopped. SIGTERM and Ctrl-C let running steps finish; " +
        "a second one releases their runs to other workers immediately.",
    )
    .option("--engine <url>", "embedded, or temporal://host:7233/namespace?taskQueue=… (env RUNLEDGER_ENGINE)")
    .option("--tenant <names>", "comma-separated tenants whose runs this worker claims (default: all)")
    .option("--health-port <number>", "serves /healthz and /metrics on this port; 0 selects a free port", parsePort)
    .option("--health-host <address>", "address for --health-port (default: 127.0.0.1)")
    .action((_: unknown, command: Command) => exitAfter(work(command.optsWithGlobals<WorkerCommandOptions>())));
}

interface WorkerCommandOptions extends GlobalOptions {
  readonly engine?: string;
  readonly tenant?: string;
  readonly healthPort?: number;
  readonly healthHost?: string;
}

async function work(options: WorkerCommandOptions): Promise<void> {
  const project = await loadProject(options);
  const logger = openLog(project.config.log);
  const engineConfig = resolveEngine({
    option: options.engine,
    environment: process.env,
    config: project.config.engine,
  });
  const engine = await loadEngine(withEngineSecrets(engineConfig, process.env));
  const url = storeUrl(options, project);
  const workflows = project.workflows.map(({ workflow }) => workflow);
  const port = options.healthPort ?? project.config.health?.port;
  await using telemetry = await startTelemetry(process.env, { servesMetrics: port !== undefined });
  const metrics = project.config.worker?.metrics ?? telemetry.metrics;
  await using health = await startHealth(options, project.config, metrics);
  const alerts = alertsOf(project.config.alerts, process.env);
  await using ledger = await openReachable(url, {
    metrics,
    logger,
    engine,
    ...storeOptionsOf(project),
    ...alerts,
  });
  const tenants = options.tenant?.split(",").map((name) => name.trim());
  const configured = { ...project.config.worker, ...omitUndefined({ tenants }) };
  const worker = await ledger.worker({ ...configured, workflows, published: true });
  const isJson = options.json === true;
  const stopped = workUntilStopped(worker, isJson ? () => {} : print); // before the output explains Ctrl-C
  const unserved = await unservedIn(ledger);
  if (isJson) {
    const shown = { workerId: worker.id, workflows: workflows.map(({ id, version }) => ({ id, version })), unserved };
    printJson({ ...shown, ...(health && { health: health.url }) });
    return await stopped;
  }
  print(`Worker    ${worker.id}`);
  print(`Store     ${withoutPassword(url)}`);
  if (engine.kind !== "embedded") print(`Engine    ${engine.kind}`);
  if (tenants !== undefined) print(`Tenants   ${tenants.join(", ")}`);
  if (health !== null) print(`Health    ${health.url}/healthz and /metrics`);
  for (const { id, version } of workflows) print(`Workflow  ${id} ${version}`);
  for (const plan of unserved) print(`Waiting   ${waiting(plan)}`);
  print(`Stop      ${paint("dim", "Ctrl-C waits for running steps; press it twice to stop now")}`);
  printNext(startCommand(options, workflows[0]!));
  await stopped;
  print("Stopped.");
}

async function startHealth(
  { healthPort, healthHost }: WorkerCommandOptions,
  config: RunledgerConfig,
  metrics: Metrics | undefined,
): Promise<WorkerHealth | null> {
  const port = healthPort ?? config.health?.port;
  if (port === undefined || metrics === undefined) return null;
  const { serveHealth } = await import("./worker-health.js"); // most workers do not need it
  return serveHealth({ ...config.health, ...omitUndefined({ host: healthHost }), port }, metrics);
}

async function openReachable(url: string, options: LedgerOptions): Promise<Ledger> {
  using stop = stopSignal();
  return await openLedgerWhenReachable(stop.signal, url, options);
}

/** A store without a queue does not know which runs wait for a worker: the cluster does. */
function unservedIn(ledger: Ledger): Promise<readonly UnservedPlan[]> {
  return ledger.unserved().catch((error: unknown) => {
    if (error instanceof StopError && error.code === "STORE_UNSUITABLE") return [];
    throw error;
  });
}

/** Describes open runs that no worker can resume (D7, F5). */
function waiting(plan: UnservedPlan): string {
  const { planId, planVersion, openRuns, missing } = plan;
  const runs =
    missing === "plan" ? count(openRuns, "open run") : `${count(openRuns, "open run")} of ${planId} ${planVersion}`;
  return `${runs}: ${workerGapText(missing, plan)}`;
}
