import type { Command } from "commander";
import type { RunCounts } from "@runledger/contracts";
import type { ListedWorkflow } from "../backend/catalog-backend.js";
import { withBackend } from "../backend/open-backend.js";
import type { GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { table } from "../render/table.js";
import { print, printJson, printNext } from "../render/terminal.js";

const HEAD = ["WORKFLOW", "VERSION", "VERSIONS", "PUBLISHED", "RUNS"];

export function addWorkflowsCommand(program: Command): void {
  program
    .command("workflows")
    .summary("list published workflows and their runs by status")
    .description(
      "Lists published workflows. A workflow is published when a run of it starts, when a worker that has it starts, or over " +
        "HTTP.",
    )
    .option("--tenant <id>", "count the runs of this tenant")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly tenant?: string }>();
      const workflows = await withBackend(options, (backend) => backend.catalog.listWorkflows());
      if (options.json === true) workflows.forEach(printJson);
      else show(workflows, options);
    });
}

function show(workflows: readonly ListedWorkflow[], options: GlobalOptions): void {
  table(workflows.map(cells), { shrink: [4, 0], head: HEAD }).forEach((line) => print(line));
  const [first] = workflows;
  if (first === undefined) print("No workflows.");
  printNext(
    first === undefined ? commandLine(options, "worker") : commandLine(options, "runs", "--workflow", first.workflowId),
  );
}

function cells({ workflowId, version, versionCount, publishedAt, counts }: ListedWorkflow): string[] {
  return [
    workflowId,
    version,
    count(versionCount, "version"),
    publishedAt.slice(0, 19).replace("T", " "),
    countsText(counts),
  ];
}

function countsText(counts: RunCounts): string {
  const found = Object.entries(counts).filter(([, runs]) => runs > 0);
  return found.map(([status, runs]) => `${runs} ${status}`).join(", ");
}
