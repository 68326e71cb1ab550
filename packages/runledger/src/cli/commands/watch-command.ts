import type { Command } from "commander";
import { withRun } from "../backend/find-run.js";
import type { GlobalOptions } from "../global-options.js";
import { exitCodeFor, showRun } from "../render/show-run.js";
import { stopSignal } from "../stop-signals.js";

export function addWatchCommand(program: Command): void {
  program
    .command("watch <run>")
    .summary("show a run until it finishes")
    .description("Shows a run until it finishes: a tree on a terminal, a line per event elsewhere.")
    .action(async (given: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      using stopped = stopSignal();
      const shown = { ...options, signal: stopped.signal };
      process.exitCode = exitCodeFor(await withRun(options, given, (backend, runId) => showRun(backend, runId, shown)));
    });
}
