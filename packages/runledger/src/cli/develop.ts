import { relative } from "node:path";
import { RunledgerError } from "@runledger/contracts";
import { isTypeScript } from "../config/module-loader.js";
import { tokenFolder } from "../config/token-folder.js";
import { LocalToken } from "../server/access/local-token.js";
import type { LogEntry } from "../server/server.js";
import { projectWorkflows } from "../server/workflow-source.js";
import { greet } from "./dev-greeting.js";
import { startSamples } from "./dev-samples.js";
import { DevWorkers, type Fate } from "./dev-workers.js";
import { count } from "./format.js";
import { commandLine } from "./next-command.js";
import { openLedger } from "./open-ledger.js";
import { errorLines, reportError } from "./report-error.js";
import { project, storeUrl, type GlobalOptions } from "./session.js";
import { schedulerVoice } from "./worker-voice.js";
import { workUntilStopped } from "./stop-signals.js";
import { complain, next, paint, print } from "./terminal.js";
import { FileWatch } from "./watch-files.js";

export interface DevOptions extends GlobalOptions {
  readonly port: number;
}

export async function develop(options: DevOptions): Promise<void> {
  const found = await project(options);
  const url = storeUrl(options, found);
  await using ledger = await openLedger(url, { patienceMs: 0 }); // who asks over HTTP is told at once
  ledger.projector();
  const workers = new DevWorkers(ledger);
  await workers.use(found);
  ledger.scheduler(schedulerVoice());
  const source = projectWorkflows(() => workers.workflows);
  const token = await LocalToken.open(tokenFolder(url, process.env));
  const { port } = options;
  const { Server } = await import("../server/server.js"); // what is wrong with the project is said before that
  await using server = await Server.start({ ledger, workflows: source, port, access: { token }, log: printTrouble });
  const reload = serially((files) => reloadProject(options, { url, workers, watch }, files));
  await using watch = new FileWatch(found, reload);
  await watch.ready();
  const samples = await startSamples(ledger, found);
  const stopped = workUntilStopped(workers, print); // before anybody is told how
  const address = { serverUrl: server.url, token: await token.value() };
  greet({ options, storeUrl: url, ...address, project: found, samples, readyAfterMs: performance.now() });
  await tellStrangers(workers, options);
  await stopped;
  print("Stopped.");
}

/** Whoever looks at this terminal wants to know what went wrong, and nothing else. */
function printTrouble({ level, message, error }: LogEntry): void {
  if (level === "error") errorLines(error ?? message).forEach((line) => complain(`error ${line}`));
}

/** Open runs from an earlier time, of code that is no longer there. */
async function tellStrangers(workers: DevWorkers, options: GlobalOptions): Promise<void> {
  for (const [key, open] of await workers.strangers()) {
    print(`Waiting   ${count(open, "open run")} of ${key.replace("@", " ")}: no worker here has that version.`);
    next(commandLine(options, "runs"), "and cancel what nobody needs any more");
  }
}

async function reloadProject(
  options: GlobalOptions,
  { url, workers, watch }: { readonly url: string; readonly workers: DevWorkers; readonly watch: FileWatch },
  files: readonly string[],
): Promise<void> {
  const names = files.map((file) => relative(process.cwd(), file)).join(", ");
  try {
    const found = await project(options);
    const fates = await workers.use(found);
    watch.follow(found);
    print(`${paint("bold", names)} changed: ${count(found.workflows.length, "workflow")} loaded`);
    fates.flatMap((fate) => fateLines(fate, fates)).forEach((line) => print(`  ${line}`));
    tellStale(files);
    if (storeUrl(options, found) !== url) print("  the configuration names another store: start dev again to use it");
  } catch (error) {
    if (!(error instanceof RunledgerError)) throw error;
    print(`${paint("bold", names)} changed, and the code that was loaded before stays in use:`);
    reportError(error);
  }
}

function fateLines({ workflow, openRuns, state }: Fate, all: readonly Fate[]): string[] {
  const open = count(openRuns, "open run");
  const isOne = openRuns === 1;
  if (state === "new") return [`${workflow.id} ${workflow.version} is what new runs use`];
  if (state === "same")
    return openRuns === 0
      ? []
      : [`${workflow.id}: ${open} of ${workflow.version} ${isOne ? "goes" : "go"} on with the new code`];
  const isGone = !all.some((other) => other.state !== "kept" && other.workflow.id === workflow.id);
  const why = isGone ? ", which is gone from the project" : "";
  return [
    `${workflow.id}: ${open} ${isOne ? "stays" : "stay"} on ${workflow.version}${why}; its code is kept until dev ends`,
  ];
}

/** Node keeps a JavaScript module for as long as the process lives. */
function tellStale(files: readonly string[]): void {
  const stale = files.filter((file) => /\.[mc]?js$/.test(file) && !isTypeScript(file));
  for (const file of stale)
    print(`  ${relative(process.cwd(), file)} is JavaScript, which stays loaded: start dev again`);
}

/** One reload after the other. */
function serially(action: (files: readonly string[]) => Promise<void>): (files: readonly string[]) => void {
  let last = Promise.resolve();
  return (files) => {
    last = last.then(() => action(files)).catch((error: unknown) => void reportError(error));
  };
}
