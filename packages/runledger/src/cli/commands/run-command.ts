import type { Command } from "commander";
import type { RunState } from "@runledger/core";
import type { Backend, StartedRun } from "../backend/backend.js";
import { withBackend } from "../backend/open-backend.js";
import { readOutput } from "../backend/read-output.js";
import { exitCodes, type ExitCode } from "../exit-codes.js";
import { inputArgument } from "./json-argument.js";
import { collect, toLabel } from "./run-filter.js";
import { commandLine } from "../render/next-command.js";
import { isWorkflowFile, withFile } from "./run-file.js";
import type { GlobalOptions } from "../global-options.js";
import { exitCodeFor, showRun } from "../render/show-run.js";
import { stopSignal } from "../stop-signals.js";
import { printNext, print, printJson } from "../render/terminal.js";

interface RunOptions extends GlobalOptions {
  readonly input?: string;
  readonly requestId?: string;
  readonly tenant?: string;
  readonly priority?: string;
  readonly concurrencyKey?: string;
  readonly startAt?: string;
  readonly label?: readonly string[];
  readonly wait?: boolean;
}

export function addRunCommand(program: Command): void {
  program
    .command("run <workflow>")
    .summary("start a run of a workflow")
    .description(
      "Starts a run, which a worker executes. <workflow> is the id (or id@version) of a workflow in the project or on the " +
        "server, or a file (.yaml, .json, .ts, .js). A file needs no project: with --wait, this command runs its steps. With " +
        "--server, a .yaml or .json file is published, and the server's workers run it.",
    )
    .option("--input <json>", "input of the run: JSON, @file, or - for standard input")
    .option("--request-id <id>", "idempotency key: a second call with the same id returns the first run")
    .option("--tenant <id>", "tenant of the run")
    .option("--priority <n>", "priority among the tenant's runs; the highest starts first")
    .option(
      "--concurrency-key <key>",
      "the tenant's runs with the same key run one at a time, or up to the limit of the key",
    )
    .option("--label <name=value>", "label of the run; repeatable", collect)
    .option("--start-at <time>", "earliest start, such as 2026-11-14T08:00:00Z")
    .option("--wait", "show the run until it finishes; exit with 1 if it fails")
    .action(async (name: string, _: unknown, command: Command) => {
      process.exitCode = await run(name, command.optsWithGlobals<RunOptions>());
    });
}

async function run(name: string, options: RunOptions): Promise<ExitCode> {
  const params = await paramsOf(options);
  const startRun = (backend: Backend, workflow: string) => start(backend, { ...params, workflow }, options);
  if (isWorkflowFile(name)) return withFile(name, options, startRun);
  return withBackend(options, (backend) => startRun(backend, name), { create: true, project: true });
}

async function paramsOf({ input, requestId, priority, concurrencyKey, startAt, label }: RunOptions) {
  const optional = {
    requestId,
    concurrencyKey,
    startAt,
    labels: label === undefined ? undefined : Object.fromEntries(label.map(toLabel)),
    priority: priority === undefined ? undefined : Number(priority),
  };
  return {
    input: input === undefined ? undefined : await inputArgument("--input", input),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as object),
  };
}

async function start(
  backend: Backend,
  params: Parameters<Backend["start"]>[0],
  options: RunOptions,
): Promise<ExitCode> {
  const started = await backend.start(params);
  const { runId, workflow, version } = started;
  if (options.wait === true) return await wait(backend, started, options);
  if (options.json === true) printJson({ runId, workflow, version });
  else {
    print(`${runId}   ${workflow} ${version}`);
    printNext(commandLine(options, "watch", runId));
  }
  return exitCodes.done;
}

async function wait(
  backend: Backend,
  { runId, workflow, version }: StartedRun,
  options: RunOptions,
): Promise<ExitCode> {
  using stopped = stopSignal();
  const quiet = options.json === true;
  if (!quiet) print(`${runId}   ${workflow} ${version}`);
  const finished = await showRun(backend, runId, { ...options, signal: stopped.signal, quiet });
  const isComplete = finished?.state.status === "COMPLETED";
  const output = isComplete ? await readOutput(backend, await backend.getRun(runId)) : undefined;
  if (quiet) printJson({ runId, workflow, version, ...outcome(finished?.state ?? null), output });
  else if (finished === null) printNext(commandLine(options, "watch", runId), "the run continues");
  else if (output !== undefined) printJson(output);
  return exitCodeFor(finished);
}

function outcome(state: RunState | null) {
  const { culprit, error } = state?.details ?? {};
  return { status: state?.status ?? "RUNNING", culprit, error };
}
