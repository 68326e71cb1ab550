/** Copies runs between stores and folders, and migrates the schema. */
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { InputError, omitUndefined } from "@runledger/contracts";
import { isBucket, openPlace, type ArchivePlace } from "@runledger/runtime/archive/archive-place";
import { copyFiles } from "@runledger/runtime/transfer/file-source";
import { copyRuns, type CopiedRun } from "@runledger/runtime/transfer/copy-runs";
import type { CopyTarget } from "@runledger/runtime/transfer/copy-target";
import { fileTarget } from "@runledger/runtime/transfer/file-target";
import { storeTarget } from "@runledger/runtime/transfer/store-target";
import { exitCodes } from "../exit-codes.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { isSnowflake, openStore } from "../backend/open-store.js";
import { Progress } from "../render/progress.js";
import { storeOptions, resolveStore, type GlobalOptions } from "../global-options.js";
import { stopSignal } from "../stop-signals.js";
import { paint, printNext, print, printJson } from "../render/terminal.js";

export function addTransferCommands(store: Command): void {
  store
    .command("export")
    .summary("copy all runs to Snowflake, PostgreSQL or a folder of JSON lines")
    .description(
      "Copies the events since the last export to the same place, run by run, and verifies each run by count and checksum. " +
        "It can be stopped at any time; the next export continues where it stopped. A run whose log has lost events is left " +
        "out and named; the command then exits with 1.",
    )
    .requiredOption("--to <place>", "snowflake://…, postgres://…, dynamodb://… or a folder")
    .action((_: unknown, command: Command) => exportRuns(command.optsWithGlobals<GlobalOptions & { to: string }>()));
  store
    .command("import")
    .summary("copy runs from Snowflake, PostgreSQL, a folder or an archive into this store")
    .description(
      "Imports exported or archived runs with their sequence numbers and times. Open runs are queued in this store, so stop " +
        "the original store's workers first. A folder may contain an export or an archive of files. A damaged file is refused " +
        "and named. Repeat the command to continue an interrupted import.",
    )
    .requiredOption("--from <place>", "snowflake://…, postgres://…, dynamodb://…, a folder or s3://bucket/prefix")
    .action((_: unknown, command: Command) => importRuns(command.optsWithGlobals<GlobalOptions & { from: string }>()));
  store
    .command("migrate")
    .summary("migrate the schema of the store, or print it")
    .description(
      "Creates or migrates the schema. --index also creates indexes for your own queries on a log in PostgreSQL. Appends " +
        "continue while they are built, but each index makes every later append slower.",
    )
    .option(
      "--print",
      "print the SQL that creates the schema, or CloudFormation and Terraform of a table in DynamoDB, without running it",
    )
    .option("--index <names>", "comma-separated indexes to create on the log: event_type, event_data")
    .action((_: unknown, command: Command) => migrate(command.optsWithGlobals<MigrateOptions>()));
}

async function exportRuns(options: GlobalOptions & { readonly to: string }): Promise<void> {
  const encryption = await storeOptions(options);
  await using source = await openStore(await resolveStore(options), { mustExist: true, ...encryption });
  await using target = await openTarget(options.to, encryption);
  using stopped = stopSignal();
  await follow(copyRuns(source.store, target.place, { signal: stopped.signal }), options, stopped.signal);
}

async function importRuns(options: GlobalOptions & { readonly from: string }): Promise<void> {
  const encryption = await storeOptions(options);
  await using target = await openStore(await resolveStore(options), { mustExist: false, ...encryption });
  using stopped = stopSignal();
  const { signal } = stopped;
  const place = storeTarget(target.store);
  const { artifacts } = target.store;
  const archive = isStore(options.from) ? null : await findArchive(options.from);
  if (archive !== null) {
    const { copyArchive } = await import("@runledger/runtime/archive/import-archive");
    return await follow(copyArchive(archive, place, { signal, ...omitUndefined({ artifacts }) }), options, signal);
  }
  if (!isStore(options.from))
    return await follow(copyFiles(folderOf(options.from), place, { signal }), options, signal);
  await using source = await openStore(options.from, { mustExist: true, ...encryption });
  await follow(copyRuns(source.store, place, { signal }), options, signal);
}

interface OpenedTarget extends AsyncDisposable {
  readonly place: CopyTarget;
}

type Encryption = Awaited<ReturnType<typeof storeOptions>>;

async function openTarget(to: string, encryption: Encryption): Promise<OpenedTarget> {
  if (isBucket(to))
    throw new InputError("OPTION_INVALID", "--to", "is a bucket. Use store archive --to for archives in buckets.");
  if (!isStore(to)) {
    const place = await fileTarget(folderOf(to));
    return { place, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
  }
  const opened = await openStore(to, { mustExist: false, ...encryption });
  return { place: storeTarget(opened.store), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** Returns `null` if the place is not an archive of files. A bucket has nothing else. */
async function findArchive(from: string): Promise<ArchivePlace | null> {
  const { isArchive, requireArchive } = await import("@runledger/runtime/archive/archive-marker");
  if (!isBucket(from) && !(await isArchive(await openPlace(folderOf(from))))) return null;
  const place = await openPlace(from);
  await requireArchive(place);
  return place;
}

/** A URL is a store, except for `file:` and buckets. Everything else is a folder. */
function isStore(place: string): boolean {
  return /^[a-z]{3,}:/.test(place) && !place.startsWith("file:");
}

function folderOf(place: string): string {
  if (place === "") throw new InputError("OPTION_INVALID", "place", "is empty. Pass a folder or a store URL.");
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}

/** A run may be copied in several parts but counts as one run. */
async function follow(copied: AsyncIterable<CopiedRun>, options: GlobalOptions, signal: AbortSignal): Promise<void> {
  using progress = new Progress("copied");
  const runs = new Set<string>();
  let [events, damaged] = [0, 0];
  for await (const run of copied) {
    if (run.damage !== undefined) damaged++;
    if (run.events > 0) runs.add(run.runId);
    events += run.events;
    if (options.json === true && (run.events > 0 || run.damage !== undefined)) printJson(run);
    else if (run.damage !== undefined) print(paint("red", `Run ${run.runId} was not copied. ${run.damage}`));
    progress.passed(run.runId);
  }
  if (damaged > 0) process.exitCode = exitCodes.runFailed;
  if (signal.aborted) process.exitCode = exitCodes.interrupted;
  const stopped = signal.aborted ? { stopped: true } : {};
  if (options.json === true) return printJson({ runs: runs.size, events, damaged, ...stopped });
  const result = `${count(events, "event")} of ${count(runs.size, "run")} copied. Each run was verified by count and checksum.`;
  print(signal.aborted ? `Stopped. ${result} Run the same command again to continue.` : result);
  if (damaged > 0) printNext(commandLine(options, "store", "verify"), `to look at ${count(damaged, "damaged run")}`);
}

interface MigrateOptions extends GlobalOptions {
  readonly print?: boolean;
  readonly index?: string;
}

async function migrate(options: MigrateOptions): Promise<void> {
  const url = await resolveStore(options);
  if (options.print === true) return print(await scriptFor(url));
  await using opened = await openStore(url, { mustExist: false });
  void opened;
  if (options.index !== undefined) await createIndexes(url, options.index);
  if (options.json === true) return printJson({ upToDate: true });
  print("The schema is up to date.");
  printNext(commandLine(options, "store", "verify"));
}

async function createIndexes(url: string, names: string): Promise<void> {
  if (!/^postgres(ql)?:/.test(url))
    throw new InputError("OPTION_INVALID", "--index", "needs a store with a postgres:// URL.");
  const store = await import("@runledger/store-postgres");
  await store.createIndexes(
    url,
    names.split(",").map((name) => name.trim()),
  );
}

async function scriptFor(url: string): Promise<string> {
  const optional = await import("@runledger/runtime/ledger/load-optional-store");
  if (url.startsWith("dynamodb:")) {
    const { parseDynamoUrl, tableDefinitions } = await optional.loadDynamoStore();
    return tableDefinitions(parseDynamoUrl(url).table);
  }
  if (!isSnowflake(url)) return (await import("@runledger/store-postgres")).migrationScript(url);
  const { migrationScript, parseSnowflakeUrl } = await optional.loadSnowflakeStore();
  return migrationScript(parseSnowflakeUrl(url).shape ?? "hybrid");
}
