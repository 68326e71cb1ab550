import { Command } from "commander";
import { packageVersion } from "../config/package-version.js";
import { addActionCommands } from "./action-commands.js";
import { addCompletionCommand } from "./completion-command.js";
import { addDevCommand } from "./dev-command.js";
import { addDiffCommand } from "./diff-command.js";
import { addDoctorCommand } from "./doctor-command.js";
import { addEventsCommand } from "./events-command.js";
import { addForkCommand } from "./fork-command.js";
import { addInitCommand } from "./init-command.js";
import { addKeysCommand } from "./keys-command.js";
import { addLogsCommand } from "./logs-command.js";
import { addQueueCommand } from "./queue-command.js";
import { addRunCommand } from "./run-command.js";
import { addRunsCommand } from "./runs-command.js";
import { addSchedulesCommand } from "./schedules-command.js";
import { addServeCommand } from "./serve-command.js";
import { refuseServer, type GlobalOptions } from "./session.js";
import { addSignalCommand } from "./signal-command.js";
import { addStoreCommand } from "./store-command.js";
import { addWatchCommand } from "./watch-command.js";
import { addWorkerCommand } from "./worker-command.js";

const AFTERWORD = `
Exit codes: 0 done, 1 the run failed, 2 usage, 3 refused, 4 the store or the server cannot be reached.
Every error has a page: docs/errors/<CODE>.md.`;

export function makeProgram(): Command {
  const program = new Command("runledger")
    .description("The ledger of every run.")
    .version(packageVersion())
    .option("--store <url>", "where runs are kept: embedded:<folder> or postgres://… (RUNLEDGER_STORE)")
    .option("--server <url>", "a server in place of a store, as in http://127.0.0.1:7373 (RUNLEDGER_SERVER)")
    .option("--key <key>", "an API key for it (RUNLEDGER_KEY; a server on this machine needs none)")
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
    addLogsCommand,
    addSignalCommand,
  ];
  const more = [
    addActionCommands,
    addForkCommand,
    addDiffCommand,
    addQueueCommand,
    addSchedulesCommand,
    addWorkerCommand,
    addServeCommand,
    addKeysCommand,
    addDoctorCommand,
    addStoreCommand,
    addCompletionCommand,
  ];
  for (const addCommand of [...add, ...more]) addCommand(program);
  program.hook("preAction", (_, command) => refuseServerFor(command));
  return program;
}

/** What runs steps, serves, or works on stored data itself has no use for a server. */
const ON_THE_STORE = new Set(["dev", "init", "worker", "serve", "store"]);

function refuseServerFor(command: Command): void {
  const [verb = ""] = pathOf(command);
  if (ON_THE_STORE.has(verb)) refuseServer(command.optsWithGlobals<GlobalOptions>(), verb);
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

function usageError(text: string): string {
  const what = text
    .replace(/^error:\s*/, "")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
  return `error USAGE  ${what}${/[.?)]$/.test(what) ? "" : "."} See runledger --help\n`;
}
