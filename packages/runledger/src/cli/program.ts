import { Command } from "commander";
import { packageVersion } from "@runledger/runtime/config/package-version";
import type { GlobalOptions } from "./global-options.js";
import { commandLoaders } from "./commands/command-loaders.js";
import { configureTerminal } from "./render/terminal.js";

const HELP_FOOTER = `
Exit codes: 0 success, 1 run failed, 2 usage error, 3 refused, 4 store or server unreachable.
runledger explain <code> explains an error code.`;

/** Builds the program with the commands that `argv` needs. Loading all of them takes longer than most commands run. */
export async function makeProgram(argv: readonly string[] = []): Promise<Command> {
  const program = emptyProgram(argv);
  for (const add of await Promise.all(loadersFor(argv).map((load) => load()))) add(program);
  program.hook("preAction", (_, command) => prepare(command));
  return program;
}

/** Returns all loaders if `argv` names no known command: help lists them, and an error suggests the nearest. */
function loadersFor(argv: readonly string[]) {
  const [name = ""] = emptyProgram().parseOptions([...argv]).operands;
  const loader = commandLoaders.get(name);
  return loader === undefined ? [...new Set(commandLoaders.values())] : [loader];
}

function emptyProgram(argv: readonly string[] = []): Command {
  return new Command("runledger")
    .description("Run durable workflows and operate their runs.")
    .version(packageVersion())
    .option("--store <url>", "store URL: embedded:<folder>, postgres://… or dynamodb://… (env RUNLEDGER_STORE)")
    .option("--server <url>", "use a server instead of a store, such as http://127.0.0.1:7373 (env RUNLEDGER_SERVER)")
    .option("--key <key>", "API key for the server (env RUNLEDGER_KEY); not needed for a server on this machine")
    .option(
      "--config <file>",
      "project configuration (default: the nearest runledger.config.ts in this folder or above it in the project)",
    )
    .option("--json", "print JSON, one value per line; errors are JSON on standard error")
    .option("-q, --quiet", "print results only, without hints")
    .option("--no-color", "print without colors")
    .helpCommand("help [command]", "display help for a command")
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(usageError(text, argv.includes("--json"))) })
    .addHelpText("after", HELP_FOOTER)
    .exitOverride();
}

/** Commands that run steps, serve, or work on stored data cannot use a server. */
const STORE_ONLY = new Set(["dev", "init", "worker", "serve", "store"]);

async function prepare(command: Command): Promise<void> {
  configureTerminal(command.optsWithGlobals<GlobalOptions>());
  await refuseServerFor(command);
}

async function refuseServerFor(command: Command): Promise<void> {
  const [name = ""] = pathOf(command);
  if (!STORE_ONLY.has(name)) return;
  const { refuseServer } = await import("./global-options.js");
  refuseServer(command.optsWithGlobals<GlobalOptions>(), name);
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

function usageError(text: string, isJson: boolean): string {
  const what = text
    .replace(/^error:\s*/, "")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
  const message = `${what}${/[.?)]$/.test(what) ? "" : "."} See runledger --help`;
  return isJson ? `${JSON.stringify({ error: { code: "USAGE", message } })}\n` : `error USAGE  ${message}\n`;
}
