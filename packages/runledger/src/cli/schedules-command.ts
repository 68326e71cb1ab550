import type { Command } from "commander";
import { InputError, type CatchUp, type Overlap, type Schedule } from "@runledger/contracts";
import type { Duration } from "@runledger/core";
import type { TimingOptions } from "../scheduler/read-timing.js";
import { withDesk } from "./desk/open-desk.js";
import type { ScheduleOrder } from "./desk/schedule-desk.js";
import { count } from "./format.js";
import { inputArgument } from "./json-argument.js";
import { commandLine } from "./next-command.js";
import { timeLine, scheduleLines } from "./schedule-lines.js";
import type { GlobalOptions } from "./session.js";
import { next, print, printJson } from "./terminal.js";

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
  const schedules = program.command("schedules").summary("when runs begin by themselves");
  const add = (usage: string, summary: string): Command =>
    schedules
      .command(usage)
      .summary(summary)
      .option("--tenant <id>", "whose schedules (default: default, or the key's)");
  add("list", "list schedules, what they do next and what they did last").action(run(list));
  withTiming(add("put <id>", "make a schedule, or change it"))
    .requiredOption("--workflow <id>", "what it starts: an id, or id@version")
    .option("--input <json>", "what its runs work on: JSON, or @file")
    .option("--catch-up <policy>", "times that nobody was there for: none, latest, all", "latest")
    .option("--catch-up-limit <n>", "how many of all", "100")
    .option("--overlap <policy>", "while a run is open: allow, skip, queue, cancel", "skip")
    .option("--jitter <duration>", "fire up to this much later, always by the same amount")
    .option("--priority <n>", "of its runs")
    .option("--concurrency-key <key>", "runs of one key are limited together")
    .action(run(put));
  withTiming(add("next [id]", "show the next times of a schedule, or of an expression before it is saved"))
    .option("--count <n>", "how many", "5")
    .option("--after <time>", "from when on (default: now)")
    .action(run(showNext));
  add("pause <id>", "start no further runs of a schedule").action(run(steer("pause")));
  add("resume <id>", "go on with a paused schedule").action(run(steer("resume")));
  add("remove <id>", "forget a schedule; its runs stay").action(run(remove));
  add("backfill <id>", "give the times of a range that have no run their run")
    .requiredOption("--from <time>", "the first time, as in 2026-11-01T00:00:00Z")
    .option("--to <time>", "the end, which is not part of it (default: now)")
    .option("--dry-run", "only show what would be started")
    .action(run(backfill));
}

function withTiming(command: Command): Command {
  return command
    .option("--cron <expression>", `as in "0 2 * * *"; with seconds in front or years at the end if need be`)
    .option("--timezone <name>", "whose clock the expression is about (default: UTC)")
    .option("--every <duration>", "as in 15m")
    .option("--from <time>", "the first time of --every")
    .option("--at <time>", "once, as in 2026-11-14T08:00:00Z");
}

/** Commander gives the argument, if there is one, then the command's own options, then the command. */
function run(action: (id: string, options: never) => Promise<void>) {
  return async (...given: readonly unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    await action(typeof given[0] === "string" ? given[0] : "", command.optsWithGlobals());
  };
}

function timingOf({ cron, timezone, every, from, at }: SchedulesOptions): TimingOptions {
  const said = { cron, timeZone: timezone, every, from, at };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

async function list(_: string, options: SchedulesOptions): Promise<void> {
  const found = await withDesk(options, (desk) => desk.schedules.list());
  if (options.json === true) return found.forEach(printJson);
  found.flatMap(scheduleLines).forEach(print);
  const [first] = found;
  if (first === undefined) print("There are no schedules.");
  next(
    first === undefined
      ? commandLine(options, "schedules", "put", "<id>", "--workflow", "<workflow>", "--cron", "0 2 * * *")
      : commandLine(options, "schedules", "next", first.scheduleId),
  );
}

async function put(id: string, options: PutOptions): Promise<void> {
  const { workflow, catchUp, catchUpLimit, overlap, jitter, priority, concurrencyKey } = options;
  const order: ScheduleOrder = {
    id,
    workflow,
    input: options.input === undefined ? undefined : await inputArgument("--input", options.input),
    timing: timingOf(options),
    ...(catchUp === undefined ? {} : { catchUp }),
    ...(catchUpLimit === undefined ? {} : { catchUpLimit: Number(catchUpLimit) }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(jitter === undefined ? {} : { jitter }),
    ...(concurrencyKey === undefined ? {} : { concurrencyKey }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
  };
  show(options, await withDesk(options, (desk) => desk.schedules.put(order), { create: true }));
}

async function showNext(id: string, options: NextOptions): Promise<void> {
  const timing = timingOf(options);
  if (id !== "" && Object.keys(timing).length > 0)
    throw new InputError("OPTION_INVALID", "id", "name a schedule, or say when; not both.");
  const asked = { count: Number(options.count), ...(options.after === undefined ? {} : { from: options.after }) };
  // What an expression means is no matter of a store.
  const where = id === "" && options.server === undefined ? { ...options, store: "memory:" } : options;
  const { times, timeZone } = await withDesk(where, (desk) => desk.schedules.next(id === "" ? timing : id, asked));
  showTimes(options, times, timeZone);
}

function showTimes(options: NextOptions, times: readonly string[], timeZone: string | undefined): void {
  if (options.json === true) times.forEach(printJson);
  else times.forEach((time) => print(timeLine(time, timeZone)));
}

function steer(verb: "pause" | "resume") {
  return async (id: string, options: SchedulesOptions): Promise<void> =>
    show(options, await withDesk(options, (desk) => desk.schedules[verb](id)));
}

async function remove(id: string, options: SchedulesOptions): Promise<void> {
  await withDesk(options, (desk) => desk.schedules.remove(id));
  if (options.json === true) printJson({ scheduleId: id, removed: true });
  else print(`${id} is removed; its runs stay.`);
}

async function backfill(id: string, options: BackfillCommandOptions): Promise<void> {
  const { from, to, dryRun = false } = options;
  const range = { from, ...(to === undefined ? {} : { to }), dryRun };
  const ticks = await withDesk(options, (desk) => desk.schedules.backfill(id, range));
  if (options.json === true) return ticks.forEach(printJson);
  for (const { tick, runId, started } of ticks)
    print(`${tick}   ${runId === null ? "would be started" : `${runId}${started ? "" : "   had its run"}`}`);
  const open = ticks.filter(({ runId, started }) => runId === null || started).length;
  print(`${count(ticks.length, "time")}, ${count(open, "run")} ${dryRun ? "to start" : "started"}.`);
  if (dryRun && open > 0)
    next(commandLine(options, "schedules", "backfill", id, "--from", from, ...(to === undefined ? [] : ["--to", to])));
}

function show(options: SchedulesOptions, schedule: Schedule): void {
  if (options.json === true) return printJson(schedule);
  scheduleLines(schedule).forEach(print);
  next(commandLine(options, "schedules", "next", schedule.scheduleId));
}
