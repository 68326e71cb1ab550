import type { Command } from "commander";
import { omitUndefined, type StepRange } from "@runledger/contracts";
import type { ForkPreview } from "@runledger/runtime/runs/fork-run";
import type { Backend, ForkParams } from "../backend/backend.js";
import { withRun } from "../backend/find-run.js";
import { inputArgument } from "./json-argument.js";
import { commandLine } from "../render/next-command.js";
import type { GlobalOptions } from "../global-options.js";
import { printNext, paint, print, printJson } from "../render/terminal.js";

interface ForkCommandOptions extends GlobalOptions {
  readonly from: string;
  readonly toVersion?: string;
  readonly input?: string;
  readonly requestId?: string;
  readonly dryRun?: boolean;
}

export function addForkCommand(program: Command): void {
  program
    .command("fork <run>")
    .summary("start a new run from a step of another run")
    .description(
      "Starts a new run from a step of another run. The new run keeps the results of earlier steps, and runs the step and " +
        "the steps that depend on it again. The other run does not change.",
    )
    .requiredOption(
      "--from <step>",
      "first step to run again; inside a container, its full name, such as tables/3/analyze",
    )
    .option("--to-version <version>", "version of the workflow (default: the version of the run)")
    .option("--input <json>", "input as JSON, @file, or - for standard input (default: the input of the run)")
    .option("--request-id <id>", "idempotency key: a second call with the same id returns the first fork")
    .option("--dry-run", "show which steps would be kept and which would run, without starting the fork")
    .action(async (given: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ForkCommandOptions>();
      await withRun(options, given, (backend, runId) => fork(backend, runId, options));
    });
}

async function fork(backend: Backend, runId: string, options: ForkCommandOptions): Promise<void> {
  const params = await paramsOf(options);
  if (options.dryRun === true) {
    const preview = await backend.previewFork(runId, params);
    if (options.json === true) return printJson(preview);
    printPreview(preview);
    return printNext(commandLine(options, "fork", runId, "--from", options.from), "to start the fork");
  }
  const { runId: id, workflow, version } = await backend.fork(runId, params);
  if (options.json === true) return printJson({ runId: id, workflow, version, forkOf: runId, from: options.from });
  print(`${id}   ${workflow} ${version}   fork of ${runId} from ${options.from}`);
  printNext(commandLine(options, "watch", id));
}

async function paramsOf({ from, toVersion, input, requestId }: ForkCommandOptions): Promise<ForkParams> {
  return {
    from,
    ...omitUndefined({ version: toVersion }),
    ...(input === undefined ? {} : { input: await inputArgument("--input", input) }),
    ...omitUndefined({ requestId }),
  };
}

function printPreview({ workflow, version, runId, seq, kept, goesOn, runs }: ForkPreview): void {
  print(`${paint("bold", `${workflow} ${version}`)}   fork of ${runId} at seq ${seq}`);
  for (const step of kept) print(`${paint("green", "✔")} ${rangeText(step)}   kept`);
  for (const step of goesOn) print(`${paint("cyan", "●")} ${rangeText(step)}   continues with its kept steps`);
  for (const step of runs) print(`${paint("dim", "○")} ${rangeText(step)}   runs`);
}

/** `tables/0…41/analyze` */
function rangeText(range: StepRange): string {
  if (typeof range === "string") return range;
  return `${range.container}/${range.from}…${range.to}/${range.step}`;
}
