/** Verifies an archive of files: reads every file and compares it with its manifest. */
import type { Command } from "commander";
import { openPlace } from "@runledger/runtime/archive/archive-place";
import { exitCodes } from "../exit-codes.js";
import type { GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { Progress } from "../render/progress.js";
import { paint, print, printJson } from "../render/terminal.js";
import { stopSignal } from "../stop-signals.js";

export function addArchiveVerify(archive: Command): void {
  archive
    .command("verify <place>")
    .summary("verify every file of an archive")
    .description(
      "Reads an archive of files in a folder or in s3://bucket/prefix, without a store. Compares counts, sequence ranges and " +
        "checksums of every run. Names damaged files and then exits with 1.",
    )
    .action((place: string, _: unknown, command: Command) => verify(place, command.optsWithGlobals<GlobalOptions>()));
}

async function verify(name: string, { json }: GlobalOptions): Promise<void> {
  using stopped = stopSignal();
  const { requireArchive } = await import("@runledger/runtime/archive/archive-marker");
  const { verifyArchive } = await import("@runledger/runtime/archive/read-archive");
  const place = await openPlace(name);
  await requireArchive(place);
  using progress = new Progress("verified");
  let [events, damaged] = [0, 0];
  for await (const run of verifyArchive(place)) {
    events += run.events;
    if (run.damage !== undefined) damaged++;
    if (run.damage !== undefined && json !== true) print(paint("red", run.damage));
    if (json === true) printJson(run);
    progress.passed(run.runId ?? "");
    if (stopped.signal.aborted) break;
  }
  if (damaged > 0) process.exitCode = exitCodes.runFailed;
  if (stopped.signal.aborted) process.exitCode = exitCodes.interrupted;
  if (json === true) return printJson({ runs: progress.done, events, damaged });
  const result = damaged === 0 ? "no damage" : paint("red", `${damaged} damaged`);
  print(`${count(progress.done, "run")} with ${count(events, "event")} verified, ${result}.`);
}
