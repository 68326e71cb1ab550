/** Lists the partitions of a workflow and backfills them. */
import type { Command } from "commander";
import { omitUndefined, partitionStates, type BackfillScope, type PartitionState } from "@runledger/contracts";
import type {
  BackfilledPartition,
  PartitionBackfill,
  PartitionBackfillOptions,
} from "@runledger/runtime/partitions/backfill-partitions";
import { withBackend } from "../backend/open-backend.js";
import type { ListedPartitions, PartitionRange } from "../backend/partition-backend.js";
import type { GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { table } from "../render/table.js";
import { paint, print, printJson, printNext } from "../render/terminal.js";
import { inputArgument } from "./json-argument.js";
import { collect } from "./run-filter.js";

interface PartitionsOptions extends GlobalOptions, PartitionRange {
  readonly tenant?: string;
}

interface BackfillOptions extends PartitionsOptions {
  readonly partition?: readonly string[];
  readonly only?: BackfillScope;
  readonly force?: boolean;
  readonly limit?: string;
  readonly concurrency?: string;
  readonly input?: string;
  readonly priority?: string;
  readonly dryRun?: boolean;
}

export function addPartitionsCommand(program: Command): void {
  const partitions = program.command("partitions").summary("list the partitions of a workflow and backfill them");
  const add = (usage: string, summary: string): Command =>
    partitions
      .command(usage)
      .summary(summary)
      .option("--tenant <id>", "tenant of the runs (default: default, or the tenant of --key)");
  add("list <workflow>", "list partitions with the states of their newest runs")
    .option("--from <key>", "first partition, such as 2026-01-01 (default: the last 100)")
    .option("--to <key>", "last partition (default: the last complete one)")
    .action(run(list));
  add("backfill <workflow>", "start runs of partitions that have none, or whose newest run failed")
    .option("--from <key>", "first partition (default: the first one of the workflow)")
    .option("--to <key>", "last partition (default: the last complete one)")
    .option("--partition <key>", "this partition instead of a range; repeatable", collect)
    .option("--only <scope>", "missing, failed (which includes cancelled) or both", "both")
    .option("--force", "also start partitions that succeeded")
    .option("--limit <n>", "maximum number of partitions to start", "100")
    .option("--concurrency <n>", "maximum number of open runs of backfills (default: the last one set, or 1)")
    .option("--input <json>", "input of the runs: JSON, or @file")
    .option("--priority <n>", "priority of the runs")
    .option("--dry-run", "show which partitions would start, without starting them")
    .action(run(backfill));
}

/** Commander passes the argument, then the command's options, then the command. */
function run(action: (workflow: string, options: never) => Promise<void>) {
  return async (workflow: string, _: unknown, command: Command): Promise<void> =>
    action(workflow, command.optsWithGlobals());
}

async function list(workflow: string, options: PartitionsOptions): Promise<void> {
  const range = omitUndefined({ from: options.from, to: options.to });
  const found = await withBackend(options, (backend) => backend.partitions.list(workflow, range));
  if (options.json === true) return found.items.forEach(printJson);
  showList(found);
  const open = found.items.some(({ state }) => state === "missing" || state === "failed");
  if (open) printNext(commandLine(options, "partitions", "backfill", workflow, ...rangeOf(options), "--dry-run"));
}

function rangeOf({ from, to }: PartitionRange): string[] {
  return [...(from === undefined ? [] : ["--from", from]), ...(to === undefined ? [] : ["--to", to])];
}

function showList({ first, last, items }: ListedPartitions): void {
  const rows = items.map(({ key, state, runId }) => [key, paint(COLORS[state], state), runId ?? ""]);
  table(rows, { head: ["PARTITION", "STATE", "RUN"] }).forEach((line) => print(line));
  if (first === null) return print("No partition is complete yet.");
  const counts = partitionStates
    .map((state) => [items.filter((item) => item.state === state).length, state] as const)
    .filter(([found]) => found > 0);
  const all = counts.map(([found, state]) => `${found} ${state}`).join(", ");
  print(`${count(items.length, "partition")}: ${all === "" ? "none in this range" : all}. All: ${first} to ${last}.`);
}

const COLORS = {
  missing: "dim",
  queued: "cyan",
  running: "cyan",
  succeeded: "green",
  failed: "red",
  cancelled: "yellow",
} as const satisfies Record<PartitionState, string>;

async function backfill(workflow: string, options: BackfillOptions): Promise<void> {
  const { from, to, partition: keys, only, force, dryRun } = options;
  const params: PartitionBackfillOptions = {
    ...omitUndefined({ from, to, keys, only, force, dryRun }),
    ...numbers(options, ["limit", "concurrency", "priority"]),
    ...(options.input === undefined ? {} : { input: await inputArgument("--input", options.input) }),
  };
  const done = await withBackend(options, (backend) => backend.partitions.backfill(workflow, params));
  if (options.json === true) return done.items.forEach(printJson);
  showBackfill(done);
}

function numbers<K extends "limit" | "concurrency" | "priority">(options: BackfillOptions, names: readonly K[]) {
  const given = names.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, Number(options[name])])) as Partial<Record<K, number>>;
}

function showBackfill({ dryRun, items, remaining, queueFull }: PartitionBackfill): void {
  const rows = items.map((item) => [item.key, item.state, outcomeOf(item, dryRun)]);
  table(rows, { head: ["PARTITION", "STATE", "RUN"] }).forEach((line) => print(line));
  const started = items.filter((item) => dryRun || item.started).length;
  print(`${count(started, "run")} ${dryRun ? "to start" : "started"}.`);
  if (queueFull) print(`The queue is full. ${count(remaining, "partition")} left; repeat the command later.`);
  else if (remaining > 0) print(`${count(remaining, "partition")} left; repeat the command or raise --limit.`);
}

function outcomeOf({ runId, started }: BackfilledPartition, dryRun: boolean): string {
  if (runId === null) return dryRun ? "would start" : "";
  return started ? runId : `${runId} already started`;
}
