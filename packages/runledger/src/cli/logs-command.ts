import type { Command } from "commander";
import { InputError } from "@runledger/contracts";
import type { PrintedLine } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { commandLine } from "./next-command.js";
import type { GlobalOptions } from "./session.js";
import { untilStopped } from "./stop-signals.js";
import { next, paint, print, printJson } from "./terminal.js";

interface LogsOptions extends GlobalOptions {
  readonly step?: string;
  readonly attempt?: string;
  readonly follow?: boolean;
}

export function addLogsCommand(program: Command): void {
  program
    .command("logs <run>")
    .summary("print what a run's steps have printed")
    .option("--step <id>", "only of this step")
    .option("--attempt <n>", "only of this attempt")
    .option("-f, --follow", "go on until the run has ended")
    .action(async (runId: string, _: unknown, command: Command) => {
      await printLogs(runId, command.optsWithGlobals<LogsOptions>());
    });
}

async function printLogs(runId: string, options: LogsOptions): Promise<void> {
  using stopped = untilStopped();
  const { step, attempt, follow = false } = options;
  const which = {
    ...(step === undefined ? {} : { stepId: step }),
    ...(attempt === undefined ? {} : attemptOf(attempt)),
  };
  let count = 0;
  await withDesk(options, async (desk) => {
    for await (const lines of desk.readLogs(runId, { ...which, follow, enough: stopped.signal })) {
      count += lines.length;
      for (const line of lines) (options.json === true ? printJson : show)(line);
    }
  });
  if (options.json === true) return;
  if (count === 0) print("Nothing was printed.");
  next(commandLine(options, "events", runId));
}

function show({ at, stepId = "", attempt = 1, from, text }: PrintedLine): void {
  const where = `${stepId}${attempt === 1 ? "" : ` #${attempt}`}`;
  print(`${paint("dim", at.slice(11, 23))}  ${paint("cyan", where)}  ${from === "stderr" ? paint("red", text) : text}`);
}

function attemptOf(text: string): { readonly attempt: number } {
  const attempt = Number(text);
  if (Number.isInteger(attempt) && attempt >= 1) return { attempt };
  throw new InputError("OPTION_INVALID", "--attempt", `is ${text}; write a number from 1 on.`);
}
