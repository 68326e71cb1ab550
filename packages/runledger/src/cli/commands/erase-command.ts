/** Erases the payloads of a run, or of all runs with a label. */
import type { Command } from "commander";
import { InputError, RunledgerError } from "@runledger/contracts";
import type { Backend } from "../backend/backend.js";
import { completeId } from "../backend/find-run.js";
import { withBackend, type BackendOptions } from "../backend/open-backend.js";
import { exitCodes } from "../exit-codes.js";
import { count } from "../render/format.js";
import { print, printError, printJson } from "../render/terminal.js";

interface EraseOptions extends BackendOptions {
  readonly label?: string;
  readonly reason: string;
}

export function addEraseCommand(program: Command): void {
  program
    .command("erase [run]")
    .summary("erase the payloads of a finished run, or of all runs with a label")
    .description(
      "Erases inputs, outputs, states, signals, messages, logs and artifacts permanently. The structure of the log stays, and " +
        "can still be verified. The audit log records who requested it. Exits with 3 if a run has not finished.",
    )
    .option("--label <name:value>", "erase all runs with this label, such as customer:17")
    .requiredOption("--reason <text>", "why the payloads are erased; the log keeps it, so do not name persons")
    .option("--tenant <name>", "tenant of the runs (default: default)")
    .action((run: string | undefined, _: unknown, command: Command) =>
      erase(run, command.optsWithGlobals<EraseOptions>()),
    );
}

async function erase(run: string | undefined, options: EraseOptions): Promise<void> {
  const { label } = options;
  if ((run === undefined) === (label === undefined))
    throw new InputError("OPTION_INVALID", "run", "or --label must be set, and not both.");
  await withBackend(options, async (backend) => {
    const runIds = run === undefined ? await labeled(backend, label!, options) : [await completeId(backend, run)];
    await eraseAll(backend, runIds, options);
  });
}

async function labeled(backend: Backend, label: string, { tenant }: EraseOptions): Promise<string[]> {
  const [, name = "", value = ""] = /^([^:=]+)[:=](.+)$/.exec(label) ?? [];
  if (name === "") throw new InputError("OPTION_INVALID", "--label", `${label} is not of the form name:value.`);
  const runIds: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const place = cursor === undefined ? {} : { cursor };
    const filter = { labels: { [name]: value }, ...(tenant !== undefined && { tenantId: tenant }) };
    const page = await backend.listRuns(filter, { limit: 200, ...place });
    runIds.push(...page.runs.map(({ runId }) => runId));
    cursor = page.cursor;
  }
  return runIds;
}

/** A run that refuses does not keep the others from being erased. */
async function eraseAll(backend: Backend, runIds: readonly string[], options: EraseOptions): Promise<void> {
  let erased = 0;
  for (const runId of runIds) {
    try {
      const outcome = await backend.erase(runId, options.reason);
      erased++;
      if (options.json === true) printJson(outcome);
    } catch (error) {
      if (!(error instanceof RunledgerError) || error.family === "retry" || options.label === undefined) throw error;
      process.exitCode = exitCodes.refused;
      printError(`${error.code}  ${error.message}`);
    }
  }
  if (options.json !== true) print(`Erased the payloads of ${count(erased, "run")}.`);
}
