import type { Command } from "commander";
import type { ListedWorker } from "../backend/catalog-backend.js";
import { withBackend } from "../backend/open-backend.js";
import type { GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { table } from "../render/table.js";
import { paint, print, printJson, printNext } from "../render/terminal.js";

const HEAD = ["WORKER", "STATE", "LAST HEARTBEAT", "RUNS", "WORKFLOWS"];

export function addWorkersCommand(program: Command): void {
  program
    .command("workers")
    .summary("list workers, the runs that they drive and their workflows")
    .description("Lists live workers, and workers that were lost in the last 24 hours.")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const workers = await withBackend(options, (backend) => backend.catalog.listWorkers());
      if (options.json === true) workers.forEach(printJson);
      else show(workers, options);
    });
}

function show(workers: readonly ListedWorker[], options: GlobalOptions): void {
  table(workers.map(cells), { shrink: [4, 0], head: HEAD }).forEach((line) => print(line));
  const isServed = workers.some(({ alive }) => alive);
  if (!isServed) print(workers.length === 0 ? "No workers." : "No live worker.");
  printNext(commandLine(options, isServed ? "queue" : "worker"));
}

function cells({ workerId, alive, lastHeartbeatAt, runs, plans }: ListedWorker): string[] {
  return [
    workerId,
    alive ? paint("green", "alive") : paint("red", "lost"),
    lastHeartbeatAt?.slice(0, 19).replace("T", " ") ?? "",
    count(runs.length, "run"),
    plans.map(({ planId, planVersion }) => `${planId} ${planVersion}`).join(", "),
  ];
}
