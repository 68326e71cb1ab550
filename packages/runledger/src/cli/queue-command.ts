/** What waits and why, and the limits that it waits for. */
import { Option, type Command } from "commander";
import { EVERY, InputError, limitScopes, type Limit, type LimitScope } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import { present } from "../workflow/present.js";
import type { QueueStanding } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { duration } from "./format.js";
import { commandLine } from "./next-command.js";
import { runLimit } from "./run-filter.js";
import type { GlobalOptions } from "./session.js";
import { table } from "./table.js";
import { next, paint, print, printJson } from "./terminal.js";

interface ListOptions extends GlobalOptions {
  readonly tenant?: string;
  readonly limit: string;
  readonly after?: string;
}

interface SetOptions extends GlobalOptions {
  readonly maxRunning?: string;
  readonly maxQueued?: string;
  readonly rate?: string;
  readonly priority?: string;
}

export function addQueueCommand(program: Command): void {
  const queue = program.command("queue").summary("what waits and why, and the limits that it waits for");
  queue
    .command("list", { isDefault: true })
    .summary("list runs that have not ended, and why those that do not run do not")
    .option("--tenant <id>", "of this tenant")
    .option("--limit <n>", "how many at most", "50")
    .option("--after <run>", "go on behind this run")
    .action((_: unknown, command: Command) => list(command.optsWithGlobals()));
  queue
    .command("why <run>")
    .summary("say why a run does not run: the limit, who holds it, its position, when it should begin")
    .action((runId: string, _: unknown, command: Command) => why(runId, command.optsWithGlobals()));
  addLimits(queue.command("limits").summary("show, set and remove limits"));
}

function addLimits(limits: Command): void {
  limits
    .command("show", { isDefault: true })
    .summary("show what is limited")
    .action((_: unknown, command: Command) => showLimits(command.optsWithGlobals()));
  limits
    .command("set <scope> [subject]")
    .summary("set all of a limit, in place of what was there")
    .description(
      `Sets all of a limit; what is left out is not limited. <scope> is one of ${limitScopes.join(", ")}. <subject> is a ` +
        `tenant, a workflow, or tenant/project and tenant/key; "${EVERY}" stands for every one without a limit of its own.`,
    )
    .option("--max-running <n>", "runs that run at a time")
    .option("--max-queued <n>", "runs that may wait; one more is refused")
    .option("--rate <n/interval>", "runs that begin within an interval, as in 10/1m")
    .addOption(new Option("--priority <n>", "of a tenant, project or workflow: the highest comes first"))
    .action((scope: string, subject: string | undefined, _: unknown, command: Command) =>
      setLimit({ scope: toScope(scope), subject: toSubject(subject) }, command.optsWithGlobals()),
    );
  limits
    .command("remove <scope> [subject]")
    .summary("take a limit away")
    .action((scope: string, subject: string | undefined, _: unknown, command: Command) =>
      removeLimit({ scope: toScope(scope), subject: toSubject(subject) }, command.optsWithGlobals()),
    );
}

async function list(options: ListOptions): Promise<void> {
  const { tenant, after, limit } = options;
  const order = { ...present({ tenantId: tenant, after }), limit: runLimit(limit) };
  const { items, next: more } = await withDesk(options, (desk) => desk.listQueue(order));
  if (options.json === true) return items.forEach(printJson);
  table(items.map(row), { shrink: [4, 1] }).forEach((line) => print(line));
  if (items.length === 0) print("Nothing is queued, running or waiting.");
  if (more !== null) next(commandLine(options, "queue", "list", "--after", more), "for the next");
  const waiting = items.find(({ reasons }) => reasons.length > 0) ?? items[0];
  next(waiting === undefined ? commandLine(options, "runs") : commandLine(options, "queue", "why", waiting.runId));
}

function row({ runId, planId, planVersion, where, position, reasons }: QueueStanding): string[] {
  const place = position === null ? "" : `#${position}`;
  return [runId, `${planId} ${planVersion}`, paintWhere(where), place, reasons.join("; ")];
}

function paintWhere(where: string): string {
  return where === "running" ? paint("green", where) : paint("yellow", where);
}

async function why(runId: string, options: GlobalOptions): Promise<void> {
  const standing = await withDesk(options, (desk) => desk.why(runId));
  if (options.json === true) return printJson(standing);
  const { where, position, expectedAt, reasons, owner } = standing;
  const place = position === null ? "" : `position ${position}`;
  const expected = expectedAt === null || where === "running" ? "" : `expected ${expectedAt}`;
  print([runId, paintWhere(where), place, expected].filter((part) => part !== "").join("   "));
  for (const reason of reasons) print(`  ${reason}`);
  if (reasons.length === 0)
    print(`  ${owner === null ? "a worker takes it with its next claim" : `driven by ${owner}`}`);
  next(...nextFor(standing, options));
}

/** What one would do about it. */
function nextFor({ runId, where, reasons }: QueueStanding, options: GlobalOptions): [string, string?] {
  if (reasons.some((reason) => reason.startsWith("no worker"))) return [commandLine(options, "worker")];
  if (reasons.some((reason) => reason.startsWith("limit of"))) return [commandLine(options, "queue", "limits")];
  if (reasons.includes("paused")) return [commandLine(options, "resume", runId)];
  if (reasons.includes("waiting for approval")) return [commandLine(options, "approve", runId)];
  return [commandLine(options, where === "ended" ? "events" : "watch", runId)];
}

async function showLimits(options: GlobalOptions): Promise<void> {
  const limits = await withDesk(options, (desk) => desk.listLimits());
  if (options.json === true) return limits.forEach(printJson);
  table(limits.map(limitRow)).forEach((line) => print(line));
  if (limits.length === 0) print("Nothing is limited.");
  next(commandLine(options, "queue", "limits", "set", "overall", "--max-running", "100"));
}

function limitRow({ scope, subject, maxRunning, rate, maxQueued, priority }: Limit): string[] {
  const said = [
    maxRunning === null ? "" : `${maxRunning} running`,
    rate === null ? "" : `${rate.starts} begin per ${duration(rate.perMs)}`,
    maxQueued === null ? "" : `${maxQueued} queued`,
    priority === null ? "" : `priority ${priority}`,
  ];
  return [scope, subject.replace("|", "/"), said.filter((part) => part !== "").join(", ")];
}

async function setLimit(
  target: { readonly scope: LimitScope; readonly subject: string },
  options: SetOptions,
): Promise<void> {
  const { maxRunning, maxQueued, rate, priority } = options;
  const limit = {
    ...target,
    maxRunning: toNumber("--max-running", maxRunning),
    maxQueued: toNumber("--max-queued", maxQueued),
    rate: toRate(rate),
    priority: toNumber("--priority", priority),
  };
  await withDesk(options, (desk) => desk.setLimit(limit));
  if (options.json === true) return printJson(limit);
  table([limitRow(limit)]).forEach((line) => print(line));
  next(commandLine(options, "queue"));
}

async function removeLimit(
  target: { readonly scope: LimitScope; readonly subject: string },
  options: GlobalOptions,
): Promise<void> {
  const removed = await withDesk(options, (desk) => desk.removeLimit(target));
  if (options.json === true) return printJson({ ...target, removed });
  print(removed ? "It is gone." : "There was none.");
  next(commandLine(options, "queue", "limits"));
}

function toScope(text: string): LimitScope {
  const scope = limitScopes.find((each) => each.toLowerCase() === text.toLowerCase().replaceAll("-", ""));
  if (scope !== undefined) return scope;
  throw new InputError("OPTION_INVALID", "scope", `is ${text}; there are ${limitScopes.join(", ")}.`);
}

/** `acme/web` is easier to type than `acme|web`. */
function toSubject(text = ""): string {
  return text.replace("/", "|");
}

function toNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number)) return number;
  throw new InputError("OPTION_INVALID", option, `is ${text}; write a whole number.`);
}

function toRate(text: string | undefined): Limit["rate"] {
  if (text === undefined) return null;
  const [starts = "", interval = ""] = text.split("/");
  const perMs = parseDuration(interval);
  if (/^\d+$/.test(starts) && perMs !== null) return { starts: Number(starts), perMs };
  throw new InputError("OPTION_INVALID", "--rate", `is ${text}; write it as 10/1m.`);
}
