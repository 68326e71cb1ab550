import type { Command } from "commander";
import type { RunState } from "@runledger/core";
import type { Desk, Started } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { exitCodes, type ExitCode } from "./exit-codes.js";
import { inputArgument } from "./json-argument.js";
import { commandLine } from "./next-command.js";
import { isWorkflowFile, withFile } from "./run-file.js";
import type { GlobalOptions } from "./session.js";
import { exitCodeFor, showRun } from "./show-run.js";
import { untilStopped } from "./stop-signals.js";
import { next, print, printJson } from "./terminal.js";

interface RunOptions extends GlobalOptions {
  readonly input?: string;
  readonly requestId?: string;
  readonly tenant?: string;
  readonly priority?: string;
  readonly concurrencyKey?: string;
  readonly startAt?: string;
  readonly wait?: boolean;
}

export function addRunCommand(program: Command): void {
  program
    .command("run <workflow>")
    .summary("start a run of a workflow of this project, or of a file")
    .description(
      "Starts a run; a worker does its work. <workflow> is an id, or id@version, of the project or of the server. A file " +
        "(.yaml, .json, .ts, .js) needs no project: with --wait its steps are run here. With --server a .yaml or .json file is " +
        "published there, and the server's workers run it.",
    )
    .option("--input <json>", "what the run works on: JSON, or @file")
    .option("--request-id <id>", "starts the same run at most once: a second call finds the first one's run")
    .option("--tenant <id>", "whose run it is")
    .option("--priority <n>", "of the tenant's runs, the highest comes first")
    .option(
      "--concurrency-key <key>",
      "of the tenant's runs that share it one runs at a time, or as many as its limit says",
    )
    .option("--start-at <time>", "not before this time, as in 2026-11-14T08:00:00Z")
    .option("--wait", "show the run until it has ended; exit code 1 if it failed")
    .action(async (name: string, _: unknown, command: Command) => {
      process.exitCode = await run(name, command.optsWithGlobals<RunOptions>());
    });
}

async function run(name: string, options: RunOptions): Promise<ExitCode> {
  const order = await orderOf(options);
  const started = (desk: Desk, workflow: string) => begin(desk, { ...order, workflow }, options);
  if (isWorkflowFile(name)) return withFile(name, options, started);
  return withDesk(options, (desk) => started(desk, name), { create: true, project: true });
}

async function orderOf({ input, requestId, priority, concurrencyKey, startAt }: RunOptions) {
  const said = { requestId, concurrencyKey, startAt, priority: priority === undefined ? undefined : Number(priority) };
  return {
    input: input === undefined ? undefined : await inputArgument("--input", input),
    ...(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as object),
  };
}

async function begin(desk: Desk, order: Parameters<Desk["start"]>[0], options: RunOptions): Promise<ExitCode> {
  const started = await desk.start(order);
  const { runId, workflow, version } = started;
  if (options.wait === true) return await wait(desk, started, options);
  if (options.json === true) printJson({ runId, workflow, version });
  else {
    print(`${runId}   ${workflow} ${version}`);
    next(commandLine(options, "watch", runId));
  }
  return exitCodes.done;
}

async function wait(desk: Desk, { runId, workflow, version }: Started, options: RunOptions): Promise<ExitCode> {
  using stopped = untilStopped();
  const quiet = options.json === true;
  if (!quiet) print(`${runId}   ${workflow} ${version}`);
  const ended = await showRun(desk, runId, { ...options, enough: stopped.signal, quiet });
  const completed = ended?.completed ?? null;
  const output = ended === null || completed === null ? undefined : await desk.outputOf(ended.state, completed);
  if (quiet) printJson({ runId, workflow, version, ...outcome(ended?.state ?? null), output });
  else if (ended === null) next(commandLine(options, "watch", runId), "the run goes on");
  else if (output !== undefined) printJson(output);
  return exitCodeFor(ended);
}

function outcome(state: RunState | null) {
  const { culprit, error } = state?.details ?? {};
  return { status: state?.status ?? "RUNNING", culprit, error };
}
