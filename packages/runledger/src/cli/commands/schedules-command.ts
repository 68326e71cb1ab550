import type { Command } from "commander";
import { InputError, omitUndefined, type CatchUp, type Overlap, type Schedule } from "@runledger/contracts";
import type { Duration } from "@runledger/core";
import type { TimingOptions } from "@runledger/runtime/scheduler/read-timing";
import { withBackend } from "../backend/open-backend.js";
import type { ScheduleParams } from "../backend/schedule-backend.js";
import { count } from "../render/format.js";
import { inputArgument } from "./json-argument.js";
import { commandLine } from "../render/next-command.js";
import { scheduleJson, timeLine, scheduleLines } from "../render/schedule-lines.js";
import type { GlobalOptions } from "../global-options.js";
import { printNext, print, printJson } from "../render/terminal.js";

interface SchedulesOptions extends GlobalOptions, Omit<TimingOptions, "timeZone"> {
  readonly tenant?: string;
  readonly timezone?: string;
}

interface PutOptions extends SchedulesOptions {
  readonly workflow: string;
  readonly input?: string;
  readonly catchUp?: CatchUp;
  readonly catchUpLimit?: string;
  readonly overlap?: Overlap;
  readonly jitter?: Duration;
  readonly priority?: string;
  readonly concurrencyKey?: string;
}

interface NextOptions extends SchedulesOptions {
  readonly count: string;
  readonly after?: string;
}

interface BackfillCommandOptions extends SchedulesOptions {
  readonly from: string;
  readonly to?: string;
  readonly dryRun?: boolean;
}

export function addSchedulesCommand(program: Command): void {
  const schedules = program.command("schedules").summary("manage schedules, which start runs at set times");
  const add = (usage: string, summary: string): Command =>
    schedules
      .command(usage)
      .summary(summary)
      .option("--tenant <id>", "tenant of the schedules (default: default, or the tenant of --key)");
  add("list", "list schedules with their next and last times").action(run(list));
  withTiming(add("put <id>", "create or replace a schedule"))
    .requiredOption("--workflow <id>", "workflow to start: an id, or id@version")
    .option("--input <json>", "input of its runs: JSON, or @file")
    .option("--catch-up <policy>", "missed times that still get a run: none, latest, all", "latest")
    .option("--catch-up-limit <n>", "maximum number of missed times with --catch-up all", "100")
    .option("--overlap <policy>", "what to do if the previous run is still open: allow, skip, queue, cancel", "skip")
    .option("--jitter <duration>", "maximum delay of each start; a schedule always gets the same delay")
    .option("--priority <n>", "priority of its runs")
    .option("--concurrency-key <key>", "concurrency key of its runs")
    .action(run(put));
  withTiming(add("next [id]", "show the next times of a schedule, or of a cron expression"))
    .option("--count <n>", "number of times", "5")
    .option("--after <time>", "first possible time (default: now)")
    .action(run(showNext));
  add("pause <id>", "pause a schedule").action(run(change("pause")));
  add("resume <id>", "resume a paused schedule").action(run(change("resume")));
  add("remove <id>", "remove a schedule; its runs remain").action(run(remove));
  add("backfill <id>", "start runs for past times that have none")
    .requiredOption("--from <time>", "start of the range, such as 2026-11-01T00:00:00Z")
    .option("--to <time>", "end of the range, exclusive (default: now)")
    .option("--dry-run", "show which runs would start, without starting them")
    .action(run(backfill));
}

function withTiming(command: Command): Command {
  return command
    .option("--cron <expression>", `cron expression, such as "0 2 * * *"; seconds may precede it, years may follow`)
    .option("--timezone <name>", "time zone of the cron expression (default: UTC)")
    .option("--every <duration>", "interval, such as 15m")
    .option("--from <time>", "first time of --every")
    .option("--at <time>", "single time, such as 2026-11-14T08:00:00Z");
}

/** Commander passes the argument, if there is one, then the command's options, then the command. */
function run(action: (id: string, options: never) => Promise<void>) {
  return async (...args: readonly unknown[]): Promise<void> => {
    const command = args.at(-1) as Command;
    await action(typeof args[0] === "string" ? args[0] : "", command.optsWithGlobals());
  };
}

function timingOf({ cron, timezone, every, from, at }: SchedulesOptions): TimingOptions {
  const options = { cron, timeZone: timezone, every, from, at };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

async function list(_: string, options: SchedulesOptions): Promise<void> {
  const found = await withBackend(options, (backend) => backend.schedules.list());
  if (options.json === true) return found.map(scheduleJson).forEach(printJson);
  found.flatMap(scheduleLines).forEach(print);
  const [first] = found;
  if (first === undefined) print("No schedules.");
  printNext(
    first === undefined
      ? commandLine(options, "schedules", "put", "<id>", "--workflow", "<workflow>", "--cron", "0 2 * * *")
      : commandLine(options, "schedules", "next", first.scheduleId),
  );
}

async function put(id: string, options: PutOptions): Promise<void> {
  const { workflow, catchUp, catchUpLimit, overlap, jitter, priority, concurrencyKey } = options;
  const params: ScheduleParams = {
    id,
    workflow,
    input: options.input === undefined ? undefined : await inputArgument("--input", options.input),
    timing: timingOf(options),
    ...omitUndefined({ catchUp }),
    ...(catchUpLimit === undefined ? {} : { catchUpLimit: Number(catchUpLimit) }),
    ...omitUndefined({ overlap, jitter, concurrencyKey }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
  };
  show(options, await withBackend(options, (backend) => backend.schedules.put(params), { create: true }));
}

async function showNext(id: string, options: NextOptions): Promise<void> {
  const timing = timingOf(options);
  if (id !== "" && Object.keys(timing).length > 0)
    throw new InputError(
      "OPTION_INVALID",
      "id",
      "cannot be combined with --cron, --every or --at. Pass a schedule or a timing.",
    );
  const params = { count: Number(options.count), ...omitUndefined({ from: options.after }) };
  // An expression can be evaluated without a store.
  const where = id === "" && options.server === undefined ? { ...options, store: "memory:" } : options;
  const { times, timeZone } = await withBackend(where, (backend) =>
    backend.schedules.next(id === "" ? timing : id, params),
  );
  showTimes(options, times, timeZone);
}

function showTimes(options: NextOptions, times: readonly string[], timeZone: string | undefined): void {
  if (options.json === true) times.forEach(printJson);
  else times.forEach((time) => print(timeLine(time, timeZone)));
}

function change(verb: "pause" | "resume") {
  return async (id: string, options: SchedulesOptions): Promise<void> =>
    show(options, await withBackend(options, (backend) => backend.schedules[verb](id)));
}

async function remove(id: string, options: SchedulesOptions): Promise<void> {
  await withBackend(options, (backend) => backend.schedules.remove(id));
  if (options.json === true) printJson({ scheduleId: id, removed: true });
  else print(`Removed ${id}. Its runs remain.`);
}

async function backfill(id: string, options: BackfillCommandOptions): Promise<void> {
  const { from, to, dryRun = false } = options;
  const range = { from, ...omitUndefined({ to }), dryRun };
  const ticks = await withBackend(options, (backend) => backend.schedules.backfill(id, range));
  if (options.json === true) return ticks.forEach(printJson);
  for (const { tick, runId, started } of ticks)
    print(`${tick}   ${runId === null ? "would start" : `${runId}${started ? "" : "   already has a run"}`}`);
  const open = ticks.filter(({ runId, started }) => runId === null || started).length;
  print(`${count(ticks.length, "time")}, ${count(open, "run")} ${dryRun ? "to start" : "started"}.`);
  if (dryRun && open > 0)
    printNext(
      commandLine(options, "schedules", "backfill", id, "--from", from, ...(to === undefined ? [] : ["--to", to])),
    );
}

function show(options: SchedulesOptions, schedule: Schedule): void {
  if (options.json === true) return printJson(scheduleJson(schedule));
  scheduleLines(schedule).forEach(print);
  printNext(commandLine(options, "schedules", "next", schedule.scheduleId));
}
