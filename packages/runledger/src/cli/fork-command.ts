import type { Command } from "commander";
import type { StepRange } from "@runledger/contracts";
import type { ForkOptions } from "../ledger/fork-plan.js";
import type { ForkPreview } from "../ledger/fork-run.js";
import type { Ledger } from "../ledger/ledger.js";
import { loadState } from "../ledger/load-state.js";
import type { AnyWorkflow } from "../workflow/types.js";
import { inputArgument } from "./json-argument.js";
import { commandLine } from "./next-command.js";
import { projectIfAny, withLedger, type GlobalOptions } from "./session.js";
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
      await withLedger(options, (ledger) => fork(ledger, runId, options));
    });
}

async function fork(ledger: Ledger, runId: string, options: ForkCommandOptions): Promise<void> {
  const wanted = await wantedFork(ledger, runId, options);
  const preview = await ledger.previewFork(runId, wanted);
  if (options.dryRun === true) {
    if (options.json === true) return printJson(preview);
    printPreview(preview);
    return next(commandLine(options, "fork", runId, "--from", options.from), "without --dry-run");
  }
  const { id } = await ledger.fork(runId, wanted);
  const { workflow, version } = preview;
  if (options.json === true) return printJson({ runId: id, workflow, version, forkOf: runId, from: options.from });
  print(`${id}   ${workflow} ${version}   fork of ${runId} from ${options.from}`);
  next(commandLine(options, "watch", id));
}

/** Where the project has the version, its schema judges the input before anything is started. */
async function wantedFork(ledger: Ledger, runId: string, options: ForkCommandOptions): Promise<ForkOptions> {
  const { planId, planVersion } = (await loadState(ledger.store, runId)).details;
  const { toVersion: version = planVersion } = options;
  const known = (await projectIfAny(options))?.workflows.map(({ workflow }) => workflow) ?? [];
  const found = known.find((workflow) => workflow.id === planId && workflow.version === version);
  const wanted: AnyWorkflow | string | undefined = found ?? version;
  return {
    from: options.from,
    ...(wanted === undefined ? {} : { version: wanted }),
    ...(options.input === undefined ? {} : { input: await inputArgument("--input", options.input) }),
    ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
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
