/** Acts on all runs that match a filter, after a confirmation. */
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { InputError, RunledgerError, type RunStatus } from "@runledger/contracts";
import type { Action } from "@runledger/core";
import type { ListOptions } from "@runledger/runtime/ledger/run-list";
import type { Backend } from "../backend/backend.js";
import { withBackend } from "../backend/open-backend.js";
import { exitCodes } from "../exit-codes.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { print, printError, printJson, printNext } from "../render/terminal.js";
import { addRunFilters, runFilter, type RunFilterOptions } from "./run-filter.js";
import { senderOf, type SenderOptions } from "./signal-command.js";

const OPEN: readonly RunStatus[] = ["PENDING", "APPROVED", "RUNNING", "PAUSED"];

interface BulkAction {
  readonly name: string;
  readonly action: Action;
  readonly summary: string;
  /** The status of the runs that accept the action. `--status` narrows it. */
  readonly status: readonly RunStatus[];
}

const ACTIONS: readonly BulkAction[] = [
  { name: "cancel", action: "CANCEL", summary: "cancel all matching runs", status: OPEN },
  { name: "retry", action: "RETRY_RUN", summary: "retry all matching runs", status: ["FAILED", "CANCELLED"] },
  { name: "pause", action: "PAUSE", summary: "pause all matching runs", status: ["RUNNING"] },
  { name: "resume", action: "RESUME", summary: "resume all matching runs", status: ["PAUSED"] },
];

interface BulkOptions extends RunFilterOptions, SenderOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addBulkCommand(program: Command): void {
  const bulk = program.command("bulk").summary("cancel, retry, pause or resume all runs that match a filter");
  for (const action of ACTIONS)
    addRunFilters(bulk.command(action.name))
      .summary(action.summary)
      .description(
        `${action.summary[0]!.toUpperCase()}${action.summary.slice(1)}, after a confirmation. Only considers runs that are ` +
          `${action.status.join(", ")}. Exits with 3 if a run refuses.`,
      )
      .option("-y, --yes", "do not ask for a confirmation")
      .option("--dry-run", "print the matching runs without acting on them")
      .option("--by <who>", "recorded sender (default: the current user; not with --server, which records the key)")
      .action((_: unknown, command: Command) => run(action, command.optsWithGlobals<BulkOptions>()));
}

async function run(action: BulkAction, options: BulkOptions): Promise<void> {
  await withBackend(options, async (backend) => {
    const runIds = await matching(backend, filterOf(action, options));
    if (options.dryRun === true) return showMatching(runIds, options);
    if (runIds.length > 0) await confirmed(action, runIds.length, options);
    await actOnAll(backend, action, runIds, options);
  });
}

function filterOf({ status }: BulkAction, options: BulkOptions): ListOptions {
  const { status: wanted, ...filter } = runFilter(options);
  const both = wanted === undefined ? status : status.filter((one) => [wanted].flat().includes(one));
  if (both.length > 0) return { ...filter, status: both };
  throw new InputError("OPTION_INVALID", "--status", `this action needs a run that is ${status.join(" or ")}.`);
}

async function matching(backend: Backend, filter: ListOptions): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await backend.listRuns(filter, { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.runs.map(({ runId }) => runId));
    cursor = page.cursor;
  }
  return found;
}

function showMatching(runIds: readonly string[], options: BulkOptions): void {
  for (const runId of runIds) (options.json === true ? () => printJson({ runId }) : print)(runId);
  if (options.json !== true) print(`${count(runIds.length, "run")} would be acted on.`);
}

async function confirmed({ name }: BulkAction, runs: number, options: BulkOptions): Promise<void> {
  if (options.yes === true) return;
  const question = `${count(runs, "run")} match${runs === 1 ? "es" : ""}. `;
  if (!process.stdin.isTTY)
    throw new InputError("OPTION_INVALID", "--yes", `${question}Add --yes to ${name} ${runs === 1 ? "it" : "them"}.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question}${name[0]!.toUpperCase()}${name.slice(1)}? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new InputError("OPTION_INVALID", "answer", "was not yes. Nothing changed.");
}

async function actOnAll(
  backend: Backend,
  { action }: BulkAction,
  runIds: readonly string[],
  options: BulkOptions,
): Promise<void> {
  let accepted = 0;
  for (const runId of runIds) {
    const refusal = await act(backend, runId, action, options);
    if (refusal === null) accepted++;
    if (options.json === true)
      printJson({ runId, accepted: refusal === null, ...(refusal === null ? {} : { reason: refusal }) });
    else if (refusal !== null) printError(refusal);
  }
  const refused = runIds.length - accepted;
  if (refused > 0) process.exitCode = exitCodes.refused;
  if (options.json === true) return printJson({ action, accepted, refused });
  print(`${action} accepted by ${count(accepted, "run")}, refused by ${refused}.`);
  printNext(commandLine(options, "runs"));
}

/** Returns the reason if the run refuses. An unreachable store ends the command. */
async function act(backend: Backend, runId: string, action: Action, options: BulkOptions): Promise<string | null> {
  try {
    await backend.act(runId, action, senderOf(options));
    return null;
  } catch (error) {
    if (error instanceof RunledgerError && error.family === "stop") return `${error.code}  ${error.message}`;
    throw error;
  }
}
