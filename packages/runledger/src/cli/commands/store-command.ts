import { omitUndefined } from "@runledger/contracts";
import type { Command } from "commander";
import type { VerifiedRun } from "@runledger/runtime/projector/verify";
import type { WalkOptions } from "@runledger/runtime/projector/walk-runs";
import { exitCodes } from "../exit-codes.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { Progress } from "../render/progress.js";
import { withDerivedData, type DerivedDataOf } from "../backend/derived-data.js";
import type { GlobalOptions } from "../global-options.js";
import { addStoreArchive } from "./store-archive-command.js";
import { addStoreRetention } from "./store-retention-command.js";
import { stopSignal } from "../stop-signals.js";
import { printNext, paint, print, printJson } from "../render/terminal.js";
import { addTransferCommands } from "./store-transfer-commands.js";

interface StoreOptions extends GlobalOptions {
  readonly run?: string;
  readonly after?: string;
}

type Work = (
  data: DerivedDataOf,
  options: StoreOptions,
  walk: WalkOptions & { readonly signal: AbortSignal },
) => Promise<void>;

export function addStoreCommand(program: Command): void {
  const store = program.command("store").summary("migrate, verify, rebuild, archive, clean up and copy a store");
  add(store, "verify", "verify that derived data matches the log", verifyAll).description(
    "Folds every run's log and compares the result with snapshots, steps, keyframes, checkpoints, the run index with its " +
      "counters, and the queue. Prints a checksum of each run. Exits with 1 if something differs. Runs can continue meanwhile.",
  );
  add(store, "rebuild", "rebuild snapshots and the run index from the log", rebuildAll).description(
    "Replaces the projection of every run by a fold of its log, one run at a time. Runs can continue and be read meanwhile.",
  );
  addStoreArchive(store);
  addStoreRetention(store);
  addTransferCommands(store);
}

function add(store: Command, name: string, summary: string, work: Work): Command {
  return store
    .command(name)
    .summary(summary)
    .option("--run <run>", "only this run")
    .option("--after <run>", "continue after this run, where an interrupted command stopped")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<StoreOptions>();
      using stopped = stopSignal();
      const { run: runId, after } = options;
      const walk = omitUndefined({ runId, after });
      await withDerivedData(options, (data) => work(data, options, { ...walk, signal: stopped.signal }));
    });
}

const verifyAll: Work = async (data, options, walk) => {
  using progress = new Progress("verified");
  let [different, damaged] = [0, 0];
  for await (const run of data.verify(walk)) {
    if (run.damage.length > 0) damaged++;
    else if (run.differences.length > 0) different++;
    showRun(run, options);
    progress.passed(run.runId, different === 0 ? "" : `, ${different} with differences`);
  }
  if (walk.signal.aborted) return interrupted(progress, options, "verify");
  const wrong = walk.runId === undefined ? await data.wrongCounts() : 0;
  if (options.json === true) printJson({ runs: progress.done, different, damaged, wrongCounts: wrong });
  else {
    const result = different === 0 ? "no differences" : paint("red", `${different} with differences`);
    print(
      `${count(progress.done, "run")} verified, ${result}${wrong === 0 ? "" : `; ${count(wrong, "counter")} of the run index ${wrong === 1 ? "is" : "are"} wrong`}.`,
    );
    if (damaged > 0)
      print(paint("red", `The logs of ${count(damaged, "run")} are damaged. Restore them from a backup.`));
    if (different + wrong > 0) printNext(commandLine(options, "store", "rebuild"), "to rebuild derived data");
  }
  if (different + damaged + wrong > 0) process.exitCode = exitCodes.runFailed;
};

function showRun({ runId, lastEventSeq, checksum, differences, damage }: VerifiedRun, { json }: StoreOptions): void {
  if (json === true) return printJson({ runId, lastEventSeq, checksum, differences, damage });
  const wrong = damage.length > 0 ? "log damaged" : "different";
  const verdict = differences.length + damage.length === 0 ? paint("green", "ok") : paint("red", wrong);
  print(`${runId}   seq ${lastEventSeq}   ${checksum}   ${verdict}`);
  for (const fault of damage) print(`  log: ${fault}`);
  for (const difference of differences) print(`  ${difference}`);
}

const rebuildAll: Work = async (data, options, walk) => {
  using progress = new Progress("rebuilt");
  let [orphans, skipped] = [0, 0];
  for await (const { runId, orphan, damaged } of data.rebuild(walk)) {
    if (orphan) orphans++;
    if (damaged) skipped++;
    progress.passed(runId);
  }
  if (walk.signal.aborted) return interrupted(progress, options, "rebuild");
  if (options.json === true) return printJson({ runs: progress.done, orphans, damaged: skipped });
  print(
    `${count(progress.done - skipped, "run")} rebuilt.${orphans === 0 ? "" : ` ${count(orphans, "run")} without a log removed.`}`,
  );
  if (skipped > 0)
    print(
      paint("red", `${count(skipped, "run")} not rebuilt, because events are missing from the log or were changed.`),
    );
  printNext(commandLine(options, "store", "verify"), "to check the result");
};

/** Each run is rebuilt in one transaction, so the command can continue after the last one. */
function interrupted(progress: Progress, options: StoreOptions, name: string): void {
  const { done, last } = progress;
  process.exitCode = exitCodes.interrupted;
  if (options.json === true) return printJson({ stopped: true, runs: done, after: last });
  print(`Stopped after ${count(done, "run")}. No run is half done.`);
  if (last !== null) printNext(commandLine(options, "store", name, "--after", last), "to continue");
}
