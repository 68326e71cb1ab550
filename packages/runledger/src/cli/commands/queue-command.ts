/** Shows queued runs, explains why they wait, and manages limits. */
import { Option, type Command } from "commander";
import { EVERY, InputError, limitScopes, omitUndefined, type Limit, type LimitScope } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import type { QueueStatus } from "../backend/backend.js";
import { withRun } from "../backend/find-run.js";
import { withBackend } from "../backend/open-backend.js";
import { duration } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { runLimit } from "./run-filter.js";
import type { GlobalOptions } from "../global-options.js";
import { table } from "../render/table.js";
import { printNext, paint, print, printJson } from "../render/terminal.js";

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
  const queue = program.command("queue").summary("show queued runs, explain why they wait, and manage limits");
  queue
    .command("list", { isDefault: true })
    .summary("list open runs, and why the waiting ones wait")
    .option("--tenant <id>", "only runs of this tenant")
    .option("--limit <n>", "maximum number of runs", "50")
    .option("--after <run>", "start after this run")
    .action((_: unknown, command: Command) => list(command.optsWithGlobals()));
  queue
    .command("why <run>")
    .summary("explain why a run waits: limit, holders, position and expected start")
    .action((runId: string, _: unknown, command: Command) => why(runId, command.optsWithGlobals()));
  addLimits(queue.command("limits").summary("show, set and remove limits"));
}

function addLimits(limits: Command): void {
  limits
    .command("show", { isDefault: true })
    .summary("show all limits")
    .action((_: unknown, command: Command) => showLimits(command.optsWithGlobals()));
  limits
    .command("set <scope> [subject]")
    .summary("set a limit, replacing the current one")
    .description(
      `Sets a limit and replaces the current one; omitted options are unlimited. <scope> is one of ${limitScopes.join(", ")}. ` +
        `<subject> is a tenant, a workflow, tenant/project or tenant/key; "${EVERY}" applies to every subject without its own limit.`,
    )
    .option("--max-running <n>", "maximum number of running runs")
    .option("--max-queued <n>", "maximum number of queued runs; further starts are refused")
    .option("--rate <n/interval>", "maximum number of starts per interval, such as 10/1m")
    .addOption(new Option("--priority <n>", "priority of a tenant, project or workflow; the highest starts first"))
    .action((scope: string, subject: string | undefined, _: unknown, command: Command) =>
      setLimit({ scope: toScope(scope), subject: toSubject(subject) }, command.optsWithGlobals()),
    );
  limits
    .command("remove <scope> [subject]")
    .summary("remove a limit")
    .action((scope: string, subject: string | undefined, _: unknown, command: Command) =>
      removeLimit({ scope: toScope(scope), subject: toSubject(subject) }, command.optsWithGlobals()),
    );
}

async function list(options: ListOptions): Promise<void> {
  const { tenant, after, limit } = options;
  const params = { ...omitUndefined({ tenantId: tenant, after }), limit: runLimit(limit) };
  const { items, next: more } = await withBackend(options, (backend) => backend.listQueue(params));
  if (options.json === true) return items.forEach(printJson);
  table(items.map(row), { shrink: [4, 1], head: ["RUN", "WORKFLOW", "WHERE", "", "REASONS"] }).forEach((line) =>
    print(line),
  );
  if (items.length === 0) print("No open runs.");
  if (more !== null) printNext(commandLine(options, "queue", "list", "--after", more), "for the next page");
  const waiting = items.find(({ reasons }) => reasons.length > 0) ?? items[0];
  printNext(waiting === undefined ? commandLine(options, "runs") : commandLine(options, "queue", "why", waiting.runId));
}

function row({ runId, planId, planVersion, where, position, reasons }: QueueStatus): string[] {
  const place = position === null ? "" : `#${position}`;
  return [runId, `${planId} ${planVersion}`, paintWhere(where), place, reasons.join("; ")];
}

function paintWhere(where: string): string {
  return where === "running" ? paint("green", where) : paint("yellow", where);
}

async function why(given: string, options: GlobalOptions): Promise<void> {
  const status = await withRun(options, given, (backend, found) => backend.why(found));
  if (options.json === true) return printJson(status);
  const { runId, where, position, expectedAt, reasons, owner } = status;
  const place = position === null ? "" : `position ${position}`;
  const expected = expectedAt === null || where === "running" ? "" : `expected ${expectedAt}`;
  print([runId, paintWhere(where), place, expected].filter((part) => part !== "").join("   "));
  for (const reason of reasons) print(`  ${reason}`);
  if (reasons.length === 0) print(`  ${owner === null ? "a worker will claim it shortly" : `running on ${owner}`}`);
  printNext(...nextFor(status, options));
}

/** Suggests a command that fits the reasons. */
function nextFor({ runId, where, reasons }: QueueStatus, options: GlobalOptions): [string, string?] {
  if (reasons.some((reason) => reason.startsWith("no worker"))) return [commandLine(options, "worker")];
  if (reasons.some((reason) => reason.startsWith("limit of"))) return [commandLine(options, "queue", "limits")];
  if (reasons.includes("paused")) return [commandLine(options, "resume", runId)];
  if (reasons.includes("waiting for approval")) return [commandLine(options, "approve", runId)];
  return [commandLine(options, where === "ended" ? "events" : "watch", runId)];
}

async function showLimits(options: GlobalOptions): Promise<void> {
  const limits = await withBackend(options, (backend) => backend.listLimits());
  if (options.json === true) return limits.forEach(printJson);
  table(limits.map(limitRow), { head: ["SCOPE", "SUBJECT", "LIMIT"] }).forEach((line) => print(line));
  if (limits.length === 0) print("No limits.");
  printNext(commandLine(options, "queue", "limits", "set", "overall", "--max-running", "100"));
}

function limitRow({ scope, subject, maxRunning, rate, maxQueued, priority }: Limit): string[] {
  const parts = [
    maxRunning === null ? "" : `${maxRunning} running`,
    rate === null ? "" : `${rate.starts} starts per ${duration(rate.perMs)}`,
    maxQueued === null ? "" : `${maxQueued} queued`,
    priority === null ? "" : `priority ${priority}`,
  ];
  return [scope, subject.replace("|", "/"), parts.filter((part) => part !== "").join(", ")];
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
  await withBackend(options, (backend) => backend.setLimit(limit));
  if (options.json === true) return printJson(limit);
  table([limitRow(limit)]).forEach((line) => print(line));
  printNext(commandLine(options, "queue"));
}

async function removeLimit(
  target: { readonly scope: LimitScope; readonly subject: string },
  options: GlobalOptions,
): Promise<void> {
  const removed = await withBackend(options, (backend) => backend.removeLimit(target));
  if (options.json === true) return printJson({ ...target, removed });
  print(removed ? "Limit removed." : "There was no such limit.");
  printNext(commandLine(options, "queue", "limits"));
}

function toScope(text: string): LimitScope {
  const scope = limitScopes.find((each) => each.toLowerCase() === text.toLowerCase().replaceAll("-", ""));
  if (scope !== undefined) return scope;
  throw new InputError("OPTION_INVALID", "scope", `unknown scope ${text}. Use one of ${limitScopes.join(", ")}.`);
}

/** Accepts `acme/web` for `acme|web`, which a shell would need quoted. */
function toSubject(text = ""): string {
  return text.replace("/", "|");
}

function toNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number)) return number;
  throw new InputError("OPTION_INVALID", option, `${text} is not a whole number.`);
}

function toRate(text: string | undefined): Limit["rate"] {
  if (text === undefined) return null;
  const [starts = "", interval = ""] = text.split("/");
  const perMs = parseDuration(interval);
  if (/^\d+$/.test(starts) && perMs !== null) return { starts: Number(starts), perMs };
  throw new InputError("OPTION_INVALID", "--rate", `${text} is not a rate. Use one such as 10/1m.`);
}
