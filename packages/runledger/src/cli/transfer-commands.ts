/** Copying runs out of a store and into one, and the schema that is there for them. */
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { InputError } from "@runledger/contracts";
import { copyFiles } from "../transfer/file-source.js";
import { copyRuns, type CopiedRun } from "../transfer/copy-runs.js";
import type { CopyTarget } from "../transfer/copy-target.js";
import { fileTarget } from "../transfer/file-target.js";
import { storeTarget } from "../transfer/store-target.js";
import { exitCodes } from "./exit-codes.js";
import { count } from "./format.js";
import { commandLine } from "./next-command.js";
import { isSnowflake, openStore } from "./open-store.js";
import { Progress } from "./progress.js";
import { chosenStore, type GlobalOptions } from "./session.js";
import { untilStopped } from "./stop-signals.js";
import { next, print, printJson } from "./terminal.js";

export function addTransferCommands(store: Command): void {
  store
    .command("export")
    .summary("copy every run to Snowflake or to a folder of JSON lines")
    .description(
      "Copies what is new since the last export to the same place, run by run, each verified by count and checksum. " +
        "May be stopped at any time, and goes on where it was.",
    )
    .requiredOption("--to <place>", "snowflake://…, postgres://… or a folder")
    .action((_: unknown, command: Command) => exportRuns(command.optsWithGlobals<GlobalOptions & { to: string }>()));
  store
    .command("import")
    .summary("copy runs from Snowflake or from a folder into this store")
    .description(
      "Puts in what was exported, with its numbers and times. Runs that had not ended are queued here: stop the workers " +
        "of the ledger they come from.",
    )
    .requiredOption("--from <place>", "snowflake://…, postgres://… or a folder")
    .action((_: unknown, command: Command) => importRuns(command.optsWithGlobals<GlobalOptions & { from: string }>()));
  store
    .command("migrate")
    .summary("bring the store's schema up to date, or print the SQL for it")
    .option("--print", "print the SQL that makes the schema, and run nothing")
    .action((_: unknown, command: Command) => migrate(command.optsWithGlobals<GlobalOptions & { print?: boolean }>()));
}

async function exportRuns(options: GlobalOptions & { readonly to: string }): Promise<void> {
  await using source = await openStore(await chosenStore(options), { mustExist: true });
  await using target = await openPlace(options.to);
  using stopped = untilStopped();
  await follow(copyRuns(source.store, target.place, { signal: stopped.signal }), options, stopped.signal);
}

async function importRuns(options: GlobalOptions & { readonly from: string }): Promise<void> {
  await using target = await openStore(await chosenStore(options), { mustExist: false });
  using stopped = untilStopped();
  const { signal } = stopped;
  const place = storeTarget(target.store);
  if (!isStore(options.from))
    return await follow(copyFiles(folderOf(options.from), place, { signal }), options, signal);
  await using source = await openStore(options.from, { mustExist: true });
  await follow(copyRuns(source.store, place, { signal }), options, signal);
}

interface OpenedPlace extends AsyncDisposable {
  readonly place: CopyTarget;
}

async function openPlace(to: string): Promise<OpenedPlace> {
  if (!isStore(to)) {
    const place = await fileTarget(folderOf(to));
    return { place, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
  }
  const opened = await openStore(to, { mustExist: false });
  return { place: storeTarget(opened.store), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** Anything with a scheme is a store; `file:` and the rest are folders. */
function isStore(place: string): boolean {
  return /^[a-z]{3,}:/.test(place) && !place.startsWith("file:");
}

function folderOf(place: string): string {
  if (place === "") throw new InputError("OPTION_INVALID", "place", "names no folder.");
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}

/** A run may come in several parts: it is one run. */
async function follow(copied: AsyncIterable<CopiedRun>, options: GlobalOptions, signal: AbortSignal): Promise<void> {
  using progress = new Progress("copied");
  const runs = new Set<string>();
  let events = 0;
  for await (const run of copied) {
    if (run.events > 0) runs.add(run.runId);
    events += run.events;
    if (options.json === true && run.events > 0) printJson(run);
    progress.passed(run.runId);
  }
  if (signal.aborted) process.exitCode = exitCodes.interrupted;
  const stopped = signal.aborted ? { stopped: true } : {};
  if (options.json === true) return printJson({ runs: runs.size, events, ...stopped });
  const said = `${count(events, "event")} of ${count(runs.size, "run")} copied, each run verified by count and checksum.`;
  print(signal.aborted ? `Stopped. ${said} The same command goes on.` : said);
}

async function migrate(options: GlobalOptions & { readonly print?: boolean }): Promise<void> {
  const url = await chosenStore(options);
  if (options.print === true) return print(await scriptFor(url));
  await using opened = await openStore(url, { mustExist: false });
  void opened;
  if (options.json === true) return printJson({ upToDate: true });
  print("The schema is up to date.");
  next(commandLine(options, "store", "verify"));
}

async function scriptFor(url: string): Promise<string> {
  if (!isSnowflake(url)) return (await import("@runledger/store-postgres")).migrationScript();
  const { migrationScript, parseSnowflakeUrl } = await import("@runledger/store-snowflake");
  return migrationScript(parseSnowflakeUrl(url).shape ?? "hybrid");
}
