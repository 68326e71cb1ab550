import type { Command } from "commander";
import type { RunHeader } from "@runledger/contracts";
import type { Backend } from "../backend/backend.js";
import { withRun } from "../backend/find-run.js";
import { readOutput } from "../backend/read-output.js";
import { exitCodes, type ExitCode } from "../exit-codes.js";
import type { GlobalOptions } from "../global-options.js";
import { showRun } from "../render/show-run.js";
import { printError, printJson } from "../render/terminal.js";
import { stopSignal } from "../stop-signals.js";

export function addResultCommand(program: Command): void {
  program
    .command("result <run>")
    .summary("print the output of a run")
    .description(
      "Prints the output of a run as JSON. Waits until the run finishes. Exits with 1 if the run failed or was canceled. " +
        "With --json, prints status, output and error as one value.",
    )
    .action(async (given: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      process.exitCode = await withRun(options, given, (backend, runId) => printResult(backend, runId, options));
    });
}

async function printResult(backend: Backend, runId: string, options: GlobalOptions): Promise<ExitCode> {
  using stopped = stopSignal();
  const finished = await showRun(backend, runId, { ...options, signal: stopped.signal, quiet: true });
  if (finished === null) return exitCodes.interrupted;
  const run = await backend.getRun(runId);
  const { status, error, culprit, artifacts } = run;
  const output = await readOutput(backend, run);
  if (options.json === true) printJson({ runId, status, output, error, culprit, artifacts });
  else if (status === "COMPLETED") printJson(output ?? null);
  else printError(failureLine(run));
  return status === "COMPLETED" ? exitCodes.done : exitCodes.runFailed;
}

function failureLine({ runId, status, error, culprit }: RunHeader): string {
  const where = culprit === undefined ? "" : ` because of ${culprit}`;
  const why = error === undefined ? "." : `: ${error.code} ${error.message}`;
  return `error RUN_FAILED  Run ${runId} is ${status}${where}${why}`;
}
