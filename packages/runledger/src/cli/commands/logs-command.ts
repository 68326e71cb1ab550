import type { Command } from "commander";
import { InputError, omitUndefined } from "@runledger/contracts";
import type { LogLine } from "../backend/backend.js";
import { withRun } from "../backend/find-run.js";
import { commandLine } from "../render/next-command.js";
import type { GlobalOptions } from "../global-options.js";
import { stopSignal } from "../stop-signals.js";
import { printNext, paint, print, printJson } from "../render/terminal.js";

interface LogsOptions extends GlobalOptions {
  readonly step?: string;
  readonly attempt?: string;
  readonly follow?: boolean;
}

export function addLogsCommand(program: Command): void {
  program
    .command("logs <run>")
    .summary("print the output of a run's steps")
    .option("--step <id>", "only output of this step")
    .option("--attempt <n>", "only output of this attempt")
    .option("-f, --follow", "keep printing until the run finishes")
    .action(async (runId: string, _: unknown, command: Command) => {
      await printLogs(runId, command.optsWithGlobals<LogsOptions>());
    });
}

async function printLogs(given: string, options: LogsOptions): Promise<void> {
  using stopped = stopSignal();
  const { step, attempt, follow = false } = options;
  const filter = {
    ...omitUndefined({ stepId: step }),
    ...(attempt === undefined ? {} : attemptOf(attempt)),
  };
  let count = 0;
  const runId = await withRun(options, given, async (backend, found) => {
    for await (const lines of backend.readLogs(found, { ...filter, follow, signal: stopped.signal })) {
      count += lines.length;
      for (const line of lines) (options.json === true ? printJson : show)(line);
    }
    return found;
  });
  if (options.json === true) return;
  if (count === 0) print("No output.");
  printNext(commandLine(options, "events", runId));
}

function show({ at, stepId = "", attempt = 1, from, text, fields }: LogLine): void {
  const where = `${stepId}${attempt === 1 ? "" : ` #${attempt}`}`;
  const data = fields === undefined ? "" : ` ${paint("dim", JSON.stringify(fields))}`;
  const line = from === "stderr" ? paint("red", text) : text;
  print(`${paint("dim", at.slice(11, 23))}  ${paint("cyan", where)}  ${line}${data}`);
}

function attemptOf(text: string): { readonly attempt: number } {
  const attempt = Number(text);
  if (Number.isInteger(attempt) && attempt >= 1) return { attempt };
  throw new InputError("OPTION_INVALID", "--attempt", `${text} is not an attempt. Use a number such as 1.`);
}
