import { Command } from "commander";
import { packageVersion } from "../config/package-version.js";
import type { GlobalOptions } from "./session.js";
import { verbs } from "./verbs.js";

const AFTERWORD = `
Exit codes: 0 done, 1 the run failed, 2 usage, 3 refused, 4 the store or the server cannot be reached.
Every error has a page: docs/errors/<CODE>.md.`;

/** Whole, or with no more than these arguments need: to load what nobody asked for takes longer than most answers. */
export async function makeProgram(argv: readonly string[] = []): Promise<Command> {
  const program = withoutVerbs();
  for (const add of await Promise.all(neededFor(argv).map((load) => load()))) add(program);
  program.hook("preAction", (_, command) => refuseServerFor(command));
  return program;
}

/** All of them where none is named, or one that is not there: for help, and for the nearest. */
function neededFor(argv: readonly string[]) {
  const [name = ""] = withoutVerbs().parseOptions([...argv]).operands;
  const named = verbs.get(name);
  return named === undefined ? [...new Set(verbs.values())] : [named];
}

function withoutVerbs(): Command {
  return new Command("runledger")
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
}

/** What runs steps, serves, or works on stored data itself has no use for a server. */
const ON_THE_STORE = new Set(["dev", "init", "worker", "serve", "store"]);

async function refuseServerFor(command: Command): Promise<void> {
  const [verb = ""] = pathOf(command);
  if (!ON_THE_STORE.has(verb)) return;
  const { refuseServer } = await import("./session.js");
  refuseServer(command.optsWithGlobals<GlobalOptions>(), verb);
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
