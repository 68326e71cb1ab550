import { Command } from "commander";
import { packageVersion } from "../config/package-version.js";
import { addActionCommands } from "./action-commands.js";
import { addDevCommand } from "./dev-command.js";
import { addDoctorCommand } from "./doctor-command.js";
import { addEventsCommand } from "./events-command.js";
import { addForkCommand } from "./fork-command.js";
import { addInitCommand } from "./init-command.js";
import { addKeysCommand } from "./keys-command.js";
import { addRunCommand } from "./run-command.js";
import { addRunsCommand } from "./runs-command.js";
import { addSchedulesCommand } from "./schedules-command.js";
import { addServeCommand } from "./serve-command.js";
import { addSignalCommand } from "./signal-command.js";
import { addStoreCommand } from "./store-command.js";
import { addWatchCommand } from "./watch-command.js";
import { addWorkerCommand } from "./worker-command.js";

const AFTERWORD = `
Exit codes: 0 done, 1 the run failed, 2 usage, 3 refused, 4 the store cannot be reached.
Every error has a page: docs/errors/<CODE>.md.`;

export function makeProgram(): Command {
  const program = new Command("runledger")
    .description("The ledger of every run.")
    .version(packageVersion())
    .option("--store <url>", "where runs are kept: embedded:<folder> or postgres://… (RUNLEDGER_STORE)")
    .option("--config <file>", "the project (default: the nearest runledger.config.ts, upwards)")
    .option("--json", "print JSON, one value per line")
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(usageError(text)) })
    .addHelpText("after", AFTERWORD)
    .exitOverride();
  const add = [
    addInitCommand,
    addDevCommand,
    addRunCommand,
    addWatchCommand,
    addRunsCommand,
    addEventsCommand,
    addSignalCommand,
  ];
  const more = [
    addActionCommands,
    addForkCommand,
    addSchedulesCommand,
    addWorkerCommand,
    addServeCommand,
    addKeysCommand,
    addDoctorCommand,
    addStoreCommand,
  ];
  for (const addCommand of [...add, ...more]) addCommand(program);
  return program;
}

function usageError(text: string): string {
  const what = text
    .replace(/^error:\s*/, "")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
  return `error USAGE  ${what}${/[.?)]$/.test(what) ? "" : "."} See runledger --help\n`;
}
