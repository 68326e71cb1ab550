/** Shows datasets: who wrote them last, whether they are fresh, and how they depend on each other. */
import type { Command } from "commander";
import type {
  DatasetDetail,
  DatasetNeighbor,
  DatasetUseView,
  DatasetView,
  Freshness,
} from "@runledger/runtime/datasets/view-dataset";
import { withBackend } from "../backend/open-backend.js";
import type { GlobalOptions } from "../global-options.js";
import { commandLine } from "../render/next-command.js";
import { table } from "../render/table.js";
import { paint, print, printJson, printNext } from "../render/terminal.js";

interface ShowOptions extends GlobalOptions {
  readonly namespace?: string;
}

export function addDatasetsCommand(program: Command): void {
  const datasets = program
    .command("datasets")
    .summary("show the datasets that steps read and write, and whether they are fresh");
  const tenant = ["--tenant <id>", "tenant of the runs (default: default, or the tenant of --key)"] as const;
  datasets
    .command("list [text]")
    .summary("list datasets with their last write and freshness; text is a part of the name")
    .option(...tenant)
    .action((text: string | undefined, _: unknown, command: Command) => list(command.optsWithGlobals(), text));
  datasets
    .command("show <name>")
    .summary("show who wrote a dataset last, and the datasets before and after it")
    .option("--namespace <name>", "the system that holds it (default: runledger)")
    .option(...tenant)
    .action((name: string, _: unknown, command: Command) => show(command.optsWithGlobals(), name));
}

async function list(options: GlobalOptions, text: string | undefined): Promise<void> {
  const found = await withBackend(options, (backend) => backend.datasets.list(text));
  if (options.json === true) return found.forEach(printJson);
  if (found.length === 0) return print("No datasets. A step declares them with the option datasets.");
  const head = ["DATASET", "NAMESPACE", "FRESHNESS", "LAST WRITE", "WRITTEN BY"];
  table(found.map(cells), { shrink: [4, 0], head }).forEach((line) => print(line));
  printNext(commandLine(options, "datasets", "show", "<name>"));
}

function cells({ name, namespace, freshness, lastWrite }: DatasetView): string[] {
  const at = lastWrite?.at.slice(0, 19).replace("T", " ") ?? "-";
  return [name, namespace, freshnessText(freshness), at, lastWrite === null ? "-" : stepText(lastWrite)];
}

async function show(options: ShowOptions, name: string): Promise<void> {
  const detail = await withBackend(options, (backend) => backend.datasets.get(name, options.namespace));
  if (options.json === true) return printJson(detail);
  detailLines(detail).forEach((line) => print(line));
  const runId = detail.lastWrite?.runId;
  if (runId !== undefined && runId !== null) printNext(commandLine(options, "show", runId));
}

function detailLines(detail: DatasetDetail): string[] {
  const { name, namespace, freshness, freshForMs, writers, readers, upstream, downstream } = detail;
  const policy = freshForMs === null ? "" : `   fresh for ${freshForMs / 1000} s`;
  return [
    `${paint("bold", name)}   ${namespace}`,
    `  ${freshnessText(freshness)}${policy}`,
    ...writers.map((use) => `  written by ${useText(use)}`),
    ...readers.map((use) => `  read by ${useText(use)}`),
    ...upstream.map((other) => `  upstream ${neighborText(other)}`),
    ...downstream.map((other) => `  downstream ${neighborText(other)}`),
  ];
}

function useText(use: DatasetUseView): string {
  const rows = use.rows === undefined ? "" : `, ${use.rows} rows`;
  return `${stepText(use)} at ${use.at}, run ${use.runId ?? "deleted"}, attempt ${use.attempt}${rows}`;
}

function stepText({ planId, stepId }: { readonly planId: string; readonly stepId: string }): string {
  return `${planId} ${stepId}`;
}

function neighborText({ namespace, name, steps }: DatasetNeighbor): string {
  return `${name} (${namespace}) through ${steps.map(stepText).join(", ")}`;
}

function freshnessText(freshness: Freshness): string {
  if (freshness === "fresh") return paint("green", "fresh");
  return freshness === "stale" ? paint("red", "stale") : freshness.replace("-", " ");
}
