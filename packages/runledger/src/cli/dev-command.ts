import { relative } from "node:path";
import type { Command } from "commander";
import { RunledgerError } from "@runledger/contracts";
import type { Project } from "../config/load-project.js";
import { isTypeScript } from "../config/module-loader.js";
import { withoutPassword } from "../config/store-url.js";
import { connect } from "../ledger/connect.js";
import { DevWorkers, type Fate } from "./dev-workers.js";
import { count } from "./format.js";
import { commandLine } from "./next-command.js";
import { reportError } from "./report-error.js";
import { project, storeUrl, type GlobalOptions } from "./session.js";
import { schedulerVoice } from "./worker-voice.js";
import { thenLeave, workUntilStopped } from "./stop-signals.js";
import { next, paint, print } from "./terminal.js";
import { FileWatch } from "./watch-files.js";

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .summary("run this project's workflows, and load them again when a file changes")
    .description(
      "Runs a worker for this project and loads its workflows again when one of their files changes. New runs use the " +
        "new code. A run stays on the version it began with.",
    )
    .action((_: unknown, command: Command) => thenLeave(develop(command.optsWithGlobals<GlobalOptions>())));
}

async function develop(options: GlobalOptions): Promise<void> {
  const found = await project(options);
  const url = storeUrl(options, found);
  await using ledger = await connect(url);
  ledger.projector();
  const workers = new DevWorkers(ledger);
  await workers.use(found);
  ledger.scheduler(schedulerVoice());
  const reload = serially((files) => reloadProject(options, { url, workers, watch }, files));
  await using watch = new FileWatch(found, reload);
  await watch.ready();
  greet(options, url, found);
  await tellStrangers(workers, options);
  await workUntilStopped(workers, print);
  print("Stopped.");
}

function greet(options: GlobalOptions, url: string, { root, workflows, configFile }: Project): void {
  print(`Store     ${withoutPassword(url)}`);
  for (const { workflow, file } of workflows)
    print(`Workflow  ${workflow.id} ${workflow.version}   ${paint("dim", relative(root, file))}`);
  print(`Watching  ${relative(process.cwd(), configFile)} and what it names; a change is loaded at once`);
  print(`Stop      ${paint("dim", "Ctrl-C finishes running steps; twice hands them over")}`);
  next(commandLine(options, "run", workflows[0]!.workflow.id, "--wait"));
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
