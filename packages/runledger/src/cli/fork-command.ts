import type { Command } from "commander";
import type { StepRange } from "@runledger/contracts";
import type { ForkPreview } from "../ledger/fork-run.js";
import type { Desk, ForkOrder } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { inputArgument } from "./json-argument.js";
import { commandLine } from "./next-command.js";
import type { GlobalOptions } from "./session.js";
import { next, paint, print, printJson } from "./terminal.js";

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
    .summary("start a run at a step of another one, keeping what came before it")
    .description(
      "Starts a new run at a step of another one: what came before the step is kept, the step and what depends on it " +
        "run anew. The other run is not touched.",
    )
    .requiredOption("--from <step>", "where it begins; inside a container by its full name, as in tables/3/analyze")
    .option("--to-version <version>", "another version of the workflow (default: the run's own)")
    .option("--input <json>", "another input: JSON, or @file (default: the run's own)")
    .option("--request-id <id>", "starts the same fork at most once: a second call finds the first one's run")
    .option("--dry-run", "only show what would be kept and what would run")
    .action(async (runId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ForkCommandOptions>();
      await withDesk(options, (desk) => fork(desk, runId, options));
    });
}

async function fork(desk: Desk, runId: string, options: ForkCommandOptions): Promise<void> {
  const order = await orderOf(options);
  if (options.dryRun === true) {
    const preview = await desk.previewFork(runId, order);
    if (options.json === true) return printJson(preview);
    printPreview(preview);
    return next(commandLine(options, "fork", runId, "--from", options.from), "without --dry-run");
  }
  const { runId: id, workflow, version } = await desk.fork(runId, order);
  if (options.json === true) return printJson({ runId: id, workflow, version, forkOf: runId, from: options.from });
  print(`${id}   ${workflow} ${version}   fork of ${runId} from ${options.from}`);
  next(commandLine(options, "watch", id));
}

async function orderOf({ from, toVersion, input, requestId }: ForkCommandOptions): Promise<ForkOrder> {
  return {
    from,
    ...(toVersion === undefined ? {} : { version: toVersion }),
    ...(input === undefined ? {} : { input: await inputArgument("--input", input) }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function printPreview({ workflow, version, runId, seq, kept, goesOn, runs }: ForkPreview): void {
  print(`${paint("bold", `${workflow} ${version}`)}   fork of ${runId} as it is at seq ${seq}`);
  for (const step of kept) print(`${paint("green", "✔")} ${rangeText(step)}   kept`);
  for (const step of goesOn) print(`${paint("cyan", "●")} ${rangeText(step)}   goes on with what is kept in it`);
  for (const step of runs) print(`${paint("dim", "○")} ${rangeText(step)}   runs`);
}

/** `tables/0…41/analyze` */
function rangeText(range: StepRange): string {
  if (typeof range === "string") return range;
  return `${range.container}/${range.from}…${range.to}/${range.step}`;
}
