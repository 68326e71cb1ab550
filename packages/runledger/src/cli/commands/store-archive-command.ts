/** Moves finished runs from the log to the archive, one at a time, without stopping other work (A1, A4). */
import type { Command } from "commander";
import { InputError, omitUndefined, type ArchiveOutcome, type RunHead } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import { openPlace, type ArchivePlace } from "@runledger/runtime/archive/archive-place";
import { exitCodes } from "../exit-codes.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { openStore, type OpenedStore } from "../backend/open-store.js";
import { Progress } from "../render/progress.js";
import { resolveArchivePlace, resolveStore, type GlobalOptions } from "../global-options.js";
import { stopSignal } from "../stop-signals.js";
import { printNext, print, printJson } from "../render/terminal.js";
import { addArchiveVerify } from "./archive-verify-command.js";

interface ArchiveOptions extends GlobalOptions {
  readonly olderThan: string;
  readonly run?: string;
  readonly after?: string;
  readonly to?: string;
}

export function addStoreArchive(store: Command): void {
  const archive = store
    .command("archive")
    .summary("move finished runs to the archive; they stay readable")
    .description(
      "Moves finished runs from the log to the archive, each in one transaction. Archived runs are read as before, and " +
        "duplicates of their events are still detected. Open runs, and runs that a follower has not read, are skipped. " +
        "With --to, the archived runs are also copied to compressed files, and each copy is read back.",
    )
    .option("--older-than <duration>", "only runs without new events for this long", "90d")
    .option("--run <run>", "only this run, regardless of its age")
    .option("--after <run>", "continue after this run, where an interrupted command stopped")
    .option(
      "--to <place>",
      "also copy them to files: a folder or s3://bucket/prefix (default: `archive` of the project)",
    )
    .action((_: unknown, command: Command) => archiveRuns(command.optsWithGlobals<ArchiveOptions>()));
  addArchiveVerify(archive);
}

async function archiveRuns(options: ArchiveOptions): Promise<void> {
  using stopped = stopSignal();
  const to = options.to ?? (await resolveArchivePlace(options));
  const place = to === undefined ? null : await openPlace(to);
  if (place !== null) await (await import("@runledger/runtime/archive/archive-marker")).prepareArchive(place);
  await using opened = await openStore(await resolveStore(options), { mustExist: true });
  await archiveAll({ store: opened.store, place }, options, stopped.signal);
}

interface Parts {
  readonly store: OpenedStore["store"];
  /** Receives copies of the runs. `null` if runs are not copied. */
  readonly place: ArchivePlace | null;
}

async function archiveAll({ store, place }: Parts, options: ArchiveOptions, signal: AbortSignal): Promise<void> {
  using progress = new Progress("checked");
  const left = new Map<string, number>();
  const { archiveRun, archiveRunOnce } = await import("@runledger/runtime/archive/archive-run");
  const copy = options.run === undefined ? archiveRunOnce : archiveRun; // a named run may have damaged files
  let [archived, copied] = [0, 0];
  for await (const runId of oldRuns(store, { ...options, archived: place !== null })) {
    const outcome = await store.archive.archiveRun(runId);
    if (outcome.archived) archived++;
    else left.set(outcome.reason, (left.get(outcome.reason) ?? 0) + 1);
    if (outcome.archived && place !== null && (await copy(store, place, runId)) > 0) copied++;
    progress.passed(runId, `, ${archived} archived`);
    if (signal.aborted) return interrupted(progress, archived, options);
  }
  const toFiles = place === null ? {} : { copied };
  if (options.json === true) return printJson({ archived, ...toFiles, left: Object.fromEntries(left) });
  print(`${count(archived, "run")} archived.`);
  if (place !== null) print(`${count(copied, "run")} copied to ${place.name}. Each file was read back and compared.`);
  for (const [reason, runs] of left) print(`${count(runs, "run")} skipped: ${REASONS[reason as Reason]}.`);
  printNext(commandLine(options, "store", "verify"), "to check the store");
}

type Reason = Extract<ArchiveOutcome, { readonly archived: false }>["reason"];

const REASONS: Readonly<Record<Reason, string>> = {
  absent: "the run does not exist",
  "not-terminal": "not finished",
  damaged: "events are missing from the log",
  leased: "owned by a worker",
  followed: "not yet read by every follower",
  changed: "changed during the archiving",
};

async function* oldRuns(
  store: OpenedStore["store"],
  options: ArchiveOptions & { readonly archived: boolean },
): AsyncGenerator<string> {
  if (options.run !== undefined) {
    yield options.run;
    return;
  }
  const before = new Date(Date.now() - parseAge(options.olderThan)).toISOString();
  let afterRunId = options.after;
  for (;;) {
    const heads: readonly RunHead[] = await store.listHeads({
      archived: options.archived,
      ...omitUndefined({ afterRunId }),
    });
    for (const { runId, persistedAt } of heads) if (persistedAt < before) yield runId;
    afterRunId = heads.at(-1)?.runId;
    if (afterRunId === undefined) return;
  }
}

function parseAge(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new InputError("OPTION_INVALID", "--older-than", `${text} is not a duration. Use one such as 30d.`);
}

/** Each run is archived in one transaction, so the command can continue after the last one. */
function interrupted({ done, last }: Progress, archived: number, options: ArchiveOptions): void {
  process.exitCode = exitCodes.interrupted;
  if (options.json === true) return printJson({ stopped: true, runs: done, archived, after: last });
  print(`Stopped after ${count(done, "run")}, ${archived} archived. No run is half archived.`);
  const { olderThan, to } = options;
  const files = to === undefined ? [] : ["--to", to];
  if (last !== null)
    printNext(
      commandLine(options, "store", "archive", "--older-than", olderThan, ...files, "--after", last),
      "to continue",
    );
}
