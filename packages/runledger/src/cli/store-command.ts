import type { Command } from "commander";
import type { Ledger } from "../ledger/ledger.js";
import type { VerifiedRun } from "../projector/verify.js";
import type { WalkOptions } from "../projector/walk-runs.js";
import { exitCodes } from "./exit-codes.js";
import { count } from "./format.js";
import { commandLine } from "./next-command.js";
import { Progress } from "./progress.js";
import { withLedger, type GlobalOptions } from "./session.js";
import { addStoreArchive } from "./store-archive.js";
import { untilStopped } from "./stop-signals.js";
import { next, paint, print, printJson } from "./terminal.js";
import { addTransferCommands } from "./transfer-commands.js";

interface StoreOptions extends GlobalOptions {
  readonly run?: string;
  readonly after?: string;
}

type Work = (
  ledger: Ledger,
  options: StoreOptions,
  walk: WalkOptions & { readonly signal: AbortSignal },
) => Promise<void>;

export function addStoreCommand(program: Command): void {
  const store = program.command("store").summary("migrate, prove, rebuild and archive what is stored");
  add(store, "verify", "prove that what is derived says what the log says", verifyAll).description(
    "Folds every run's log and compares: snapshots, steps, keyframes, checkpoints, the run index with its counters, and " +
      "the queue. Prints a checksum of each run. Exits with 1 where something differs. Runs may go on meanwhile.",
  );
  add(store, "rebuild", "make snapshots and the run index anew from the log", rebuildAll).description(
    "Replaces the projection of every run by a fold of its log, one run at a time, while runs go on and are read.",
  );
  addStoreArchive(store);
  addTransferCommands(store);
}

function add(store: Command, name: string, summary: string, work: Work): Command {
  return store
    .command(name)
    .summary(summary)
    .option("--run <run>", "only this run")
    .option("--after <run>", "go on behind this run, where an earlier one was stopped")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<StoreOptions>();
      using stopped = untilStopped();
      const { run: runId, after } = options;
      const walk = { ...(runId === undefined ? {} : { runId }), ...(after === undefined ? {} : { after }) };
      await withLedger(options, (ledger) => work(ledger, options, { ...walk, signal: stopped.signal }));
    });
}

const verifyAll: Work = async ({ store }, options, walk) => {
  const { verify } = await import("../projector/verify.js");
  using progress = new Progress("verified");
  let different = 0;
  for await (const run of verify(store, walk)) {
    if (run.differences.length > 0) different++;
    showRun(run, options);
    progress.passed(run.runId, different === 0 ? "" : `, ${different} with differences`);
  }
  if (walk.signal.aborted) return interrupted(progress, options, "verify");
  const wrong = walk.runId === undefined ? await store.derived.wrongCounts() : 0;
  if (options.json === true) printJson({ runs: progress.done, different, wrongCounts: wrong });
  else {
    const said = different === 0 ? "all as the log says" : paint("red", `${different} with differences`);
    print(
      `${count(progress.done, "run")} verified, ${said}${wrong === 0 ? "" : `; ${count(wrong, "counter")} of the run index wrong`}.`,
    );
    if (different + wrong > 0) next(commandLine(options, "store", "rebuild"), "makes what is derived anew");
  }
  if (different + wrong > 0) process.exitCode = exitCodes.runFailed;
};

function showRun({ runId, lastEventSeq, checksum, differences }: VerifiedRun, { json }: StoreOptions): void {
  if (json === true) return printJson({ runId, lastEventSeq, checksum, differences });
  const verdict = differences.length === 0 ? paint("green", "ok") : paint("red", "different");
  print(`${runId}   seq ${lastEventSeq}   ${checksum}   ${verdict}`);
  for (const difference of differences) print(`  ${difference}`);
}

const rebuildAll: Work = async ({ store }, options, walk) => {
  const { rebuild } = await import("../projector/rebuild.js");
  using progress = new Progress("rebuilt");
  let orphans = 0;
  for await (const { runId, orphan } of rebuild(store, walk)) {
    if (orphan) orphans++;
    progress.passed(runId);
  }
  if (walk.signal.aborted) return interrupted(progress, options, "rebuild");
  if (options.json === true) return printJson({ runs: progress.done, orphans });
  print(
    `${count(progress.done, "run")} rebuilt.${orphans === 0 ? "" : ` ${count(orphans, "run")} without a log removed.`}`,
  );
  next(commandLine(options, "store", "verify"), "proves it");
};

/** Every run is whole, the old one or the new one: it goes on behind the last. */
function interrupted(progress: Progress, options: StoreOptions, name: string): void {
  const { done, last } = progress;
  process.exitCode = exitCodes.interrupted;
  if (options.json === true) return printJson({ stopped: true, runs: done, after: last });
  print(`Stopped after ${count(done, "run")}; nothing is half done.`);
  if (last !== null) next(commandLine(options, "store", name, "--after", last), "goes on");
}
