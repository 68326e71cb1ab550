import type { Command } from "commander";
import type { RunState } from "@runledger/core";
import { connect } from "../ledger/connect.js";
import type { Ledger } from "../ledger/ledger.js";
import type { AnyWorkflow } from "../workflow/types.js";
import { exitCodes, type ExitCode } from "./exit-codes.js";
import { inputArgument } from "./json-argument.js";
import { commandLine } from "./next-command.js";
import { project, storeUrl, type GlobalOptions } from "./session.js";
import { exitCodeFor, showRun } from "./show-run.js";
import { untilStopped } from "./stop-signals.js";
import { next, print, printJson } from "./terminal.js";
import { chooseWorkflow, workflowFinder } from "./workflow-choice.js";

interface RunOptions extends GlobalOptions {
  readonly input?: string;
  readonly requestId?: string;
  readonly wait?: boolean;
}

export function addRunCommand(program: Command): void {
  program
    .command("run <workflow>")
    .summary("start a run of a workflow of this project")
    .description("Starts a run; a worker does its work. <workflow> is an id, or id@version.")
    .option("--input <json>", "what the run works on: JSON, or @file")
    .option("--request-id <id>", "starts the same run at most once: a second call finds the first one's run")
    .option("--wait", "show the run until it has ended; exit code 1 if it failed")
    .action(async (name: string, _: unknown, command: Command) => {
      process.exitCode = await run(name, command.optsWithGlobals<RunOptions>());
    });
}

async function run(name: string, options: RunOptions): Promise<ExitCode> {
  const found = await project(options);
  const workflow = chooseWorkflow(found, name);
  const input = options.input === undefined ? undefined : await inputArgument("--input", options.input);
  await using ledger = await connect(storeUrl(options, found));
  const start = options.requestId === undefined ? {} : { requestId: options.requestId };
  const { id } = await ledger.start(workflow, input as never, start);
  if (options.wait === true) return await wait(ledger, workflow, id, { ...options, workflowOf: workflowFinder(found) });
  if (options.json === true) printJson({ runId: id, workflow: workflow.id, version: workflow.version });
  else {
    print(`${id}   ${workflow.id} ${workflow.version}`);
    next(commandLine(options, "watch", id));
  }
  return exitCodes.done;
}

type WaitOptions = RunOptions & Pick<Parameters<typeof showRun>[2], "workflowOf">;

async function wait(ledger: Ledger, workflow: AnyWorkflow, id: string, options: WaitOptions): Promise<ExitCode> {
  using stopped = untilStopped();
  const quiet = options.json === true;
  if (!quiet) print(`${id}   ${workflow.id} ${workflow.version}`);
  const state = await showRun(ledger, id, { ...options, enough: stopped.signal, quiet });
  const output = state?.status === "COMPLETED" ? await (await ledger.get(workflow, id)).result() : undefined;
  if (quiet) printJson({ runId: id, workflow: workflow.id, version: workflow.version, ...outcome(state), output });
  else if (state === null) next(commandLine(options, "watch", id), "the run goes on");
  else if (output !== undefined) printJson(output);
  return exitCodeFor(state);
}

function outcome(state: RunState | null) {
  const { culprit, error } = state?.details ?? {};
  return { status: state?.status ?? "RUNNING", culprit, error };
}
