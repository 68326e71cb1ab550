import { relative } from "node:path";
import { RunledgerError } from "@runledger/contracts";
import { alertsOf } from "../../config/alert-config.js";
import type { OutboxConfig } from "../../config/define-config.js";
import { isTypeScript } from "../../config/module-loader.js";
import { tokenFolder } from "../../config/token-folder.js";
import { startTelemetry } from "@runledger/runtime/telemetry/start-telemetry";
import { LocalToken } from "@runledger/server/setup";
import { greet } from "./greeting.js";
import { startSamples } from "./sample-runs.js";
import { DevWorkers, type ReloadOutcome } from "./dev-workers.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { openLedger } from "../backend/open-ledger.js";
import { reportError } from "../render/report-error.js";
import { loadProject, storeOptionsOf, storeUrl, type GlobalOptions } from "../global-options.js";
import { resolveCache } from "../../config/server-config.js";
import { logServer, openLog } from "../render/open-log.js";
import { workUntilStopped } from "../stop-signals.js";
import { printNext, paint, print } from "../render/terminal.js";
import { FileWatch } from "./watch-files.js";

export interface DevOptions extends GlobalOptions {
  readonly port: number;
}

export async function develop(options: DevOptions): Promise<void> {
  const found = await loadProject(options);
  const url = storeUrl(options, found);
  const logger = openLog(found.config.log, "pretty");
  await using telemetry = await startTelemetry(process.env, { servesMetrics: true });
  const { metrics } = telemetry;
  const { alerts = {} } = alertsOf(found.config.alerts, process.env);
  const settings = { ...storeOptionsOf(found), alerts: withLoopback(alerts) };
  await using ledger = await openLedger(url, { metrics, logger, retryForMs: 0, ...settings }); // HTTP callers get errors immediately
  ledger.projector();
  const workers = new DevWorkers(ledger);
  await workers.use(found);
  ledger.scheduler();
  ledger.outbox(withLoopback(found.config.outbox ?? {}));
  ledger.consumers({ ...found.config.triggers });
  const token = await LocalToken.open(tokenFolder(url, process.env));
  const { port } = options;
  const { projectWorkflows, Server } = await import("@runledger/server"); // loaded late, so that errors of the project are reported first
  const source = projectWorkflows(() => workers.workflows);
  await using server = await Server.start({
    ledger,
    workflows: source,
    port,
    access: { token },
    cache: resolveCache(found.config.server?.cache, process.env),
    log: logServer(logger),
  });
  const reload = inSequence((files) => reloadProject(options, { url, workers, watch }, files));
  await using watch = new FileWatch(found, reload);
  await watch.ready();
  const samples = await startSamples(ledger, found);
  const stopped = workUntilStopped(workers, print); // before the greeting explains Ctrl-C
  const address = { serverUrl: server.url, token: await token.value() };
  greet({ options, storeUrl: url, ...address, project: found, samples, readyAfterMs: performance.now() });
  await warnUnservedRuns(workers, options);
  await stopped;
  print("Stopped.");
}

/** A developer's receiver usually listens on the same machine. */
function withLoopback<O extends Pick<OutboxConfig, "allowAddresses">>(options: O): O {
  return { ...options, allowAddresses: [...(options.allowAddresses ?? []), "127.0.0.0/8", "::1"] };
}

/** Open runs of versions whose code is no longer on disk. */
async function warnUnservedRuns(workers: DevWorkers, options: GlobalOptions): Promise<void> {
  for (const [key, open] of await workers.unservedRuns()) {
    print(`Waiting   ${count(open, "open run")} of ${key.replace("@", " ")}: no worker here has this version.`);
    printNext(commandLine(options, "runs"), "to list runs, then cancel those you do not need");
  }
}

async function reloadProject(
  options: GlobalOptions,
  { url, workers, watch }: { readonly url: string; readonly workers: DevWorkers; readonly watch: FileWatch },
  files: readonly string[],
): Promise<void> {
  const names = files.map((file) => relative(process.cwd(), file)).join(", ");
  try {
    const found = await loadProject(options);
    const outcomes = await workers.use(found);
    watch.follow(found);
    print(`${paint("bold", names)} changed: ${count(found.workflows.length, "workflow")} loaded`);
    outcomes.flatMap((outcome) => outcomeLines(outcome, outcomes)).forEach((line) => print(`  ${line}`));
    warnStaleModules(files);
    if (storeUrl(options, found) !== url) print("  the configuration has a different store; restart dev to use it");
  } catch (error) {
    if (!(error instanceof RunledgerError)) throw error;
    print(`${paint("bold", names)} changed but cannot be loaded; the previous code stays in use:`);
    reportError(error);
  }
}

function outcomeLines({ workflow, openRuns, state }: ReloadOutcome, all: readonly ReloadOutcome[]): string[] {
  const open = count(openRuns, "open run");
  const isOne = openRuns === 1;
  if (state === "new") return [`new runs use ${workflow.id} ${workflow.version}`];
  if (state === "same")
    return openRuns === 0
      ? []
      : [`${workflow.id}: ${open} of ${workflow.version} ${isOne ? "continues" : "continue"} with the new code`];
  const isGone = !all.some((other) => other.state !== "kept" && other.workflow.id === workflow.id);
  const note = isGone ? ", which was removed from the project" : "";
  return [
    `${workflow.id}: ${open} ${isOne ? "stays" : "stay"} on ${workflow.version}${note}; its code is kept until dev stops`,
  ];
}

/** Node cannot reload a JavaScript module. */
function warnStaleModules(files: readonly string[]): void {
  const stale = files.filter((file) => /\.[mc]?js$/.test(file) && !isTypeScript(file));
  for (const file of stale)
    print(`  ${relative(process.cwd(), file)} is JavaScript, which cannot be reloaded; restart dev`);
}

/** Runs reloads one after the other. */
function inSequence(action: (files: readonly string[]) => Promise<void>): (files: readonly string[]) => void {
  let last = Promise.resolve();
  return (files) => {
    last = last.then(() => action(files)).catch((error: unknown) => void reportError(error));
  };
}
