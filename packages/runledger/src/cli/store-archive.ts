/** Moves finished runs out of the log, one at a time, while everything goes on (A1). */
import type { Command } from "commander";
import { InputError, type ArchiveOutcome, type RunHead } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import { exitCodes } from "./exit-codes.js";
import { count } from "./format.js";
import { commandLine } from "./next-command.js";
import { openStore, type OpenedStore } from "./open-store.js";
import { Progress } from "./progress.js";
import { chosenStore, type GlobalOptions } from "./session.js";
import { untilStopped } from "./stop-signals.js";
import { next, print, printJson } from "./terminal.js";

interface ArchiveOptions extends GlobalOptions {
  readonly olderThan: string;
  readonly run?: string;
  readonly after?: string;
}

export function addStoreArchive(store: Command): void {
  store
    .command("archive")
    .summary("move finished runs out of the log; they stay readable")
    .description(
      "Moves runs that have ended out of the log into its archive, one at a time, each whole or not at all. They read as " +
        "before, and answer their duplicates. A run that goes on, or that a follower has not read, is left.",
    )
    .option("--older-than <duration>", "only runs of which nothing was recorded for so long", "30d")
    .option("--run <run>", "only this run, however old")
    .option("--after <run>", "go on behind this run, where an earlier one was stopped")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ArchiveOptions>();
      using stopped = untilStopped();
      await using opened = await openStore(await chosenStore(options), { mustExist: true });
      await archiveAll(opened.store, options, stopped.signal);
    });
}

async function archiveAll(store: OpenedStore["store"], options: ArchiveOptions, signal: AbortSignal): Promise<void> {
  using progress = new Progress("looked at");
  const left = new Map<string, number>();
  let archived = 0;
  for await (const runId of oldRuns(store, options)) {
    const outcome = await store.archive.archiveRun(runId);
    if (outcome.archived) archived++;
    else left.set(outcome.reason, (left.get(outcome.reason) ?? 0) + 1);
    progress.passed(runId, `, ${archived} archived`);
    if (signal.aborted) return interrupted(progress, archived, options);
  }
  if (options.json === true) return printJson({ archived, left: Object.fromEntries(left) });
  print(`${count(archived, "run")} archived.`);
  for (const [reason, runs] of left) print(`${count(runs, "run")} left: ${REASONS[reason as Reason]}.`);
  next(commandLine(options, "store", "verify"), "proves that all is there");
}

type Reason = Extract<ArchiveOutcome, { readonly archived: false }>["reason"];

const REASONS: Readonly<Record<Reason, string>> = {
  absent: "there is no such run",
  "not-terminal": "it has not ended",
  leased: "a worker has it",
  followed: "somebody has not read all of it",
  changed: "something was recorded meanwhile",
};

async function* oldRuns(store: OpenedStore["store"], options: ArchiveOptions): AsyncGenerator<string> {
  if (options.run !== undefined) {
    yield options.run;
    return;
  }
  const before = new Date(Date.now() - age(options.olderThan)).toISOString();
  let afterRunId = options.after;
  for (;;) {
    const heads: readonly RunHead[] = await store.listHeads(afterRunId === undefined ? {} : { afterRunId });
    for (const { runId, persistedAt } of heads) if (persistedAt < before) yield runId;
    afterRunId = heads.at(-1)?.runId;
    if (afterRunId === undefined) return;
  }
}

function age(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new InputError("OPTION_INVALID", "--older-than", `is ${text}; write a duration, as in 30d.`);
}

/** Every run is archived as a whole or not at all: it goes on behind the last. */
function interrupted({ done, last }: Progress, archived: number, options: ArchiveOptions): void {
  process.exitCode = exitCodes.interrupted;
  if (options.json === true) return printJson({ stopped: true, runs: done, archived, after: last });
  print(`Stopped after ${count(done, "run")}, ${archived} archived; nothing is half done.`);
  if (last !== null)
    next(commandLine(options, "store", "archive", "--older-than", options.olderThan, "--after", last), "goes on");
}
