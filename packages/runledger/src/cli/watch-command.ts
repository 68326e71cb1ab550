import type { Command } from "commander";
import { projectIfAny, withLedger, type GlobalOptions } from "./session.js";
import { exitCodeFor, showRun } from "./show-run.js";
import { untilStopped } from "./stop-signals.js";
import { workflowFinder } from "./workflow-choice.js";

export function addWatchCommand(program: Command): void {
  program
    .command("watch <run>")
    .summary("show a run until it has ended")
    .description("Shows a run until it has ended: a tree on a terminal, a line per event elsewhere.")
    .action(async (runId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      using stopped = untilStopped();
      const workflowOf = workflowFinder(await projectIfAny(options));
      const shown = { ...options, workflowOf, enough: stopped.signal };
      process.exitCode = exitCodeFor(await withLedger(options, (ledger) => showRun(ledger, runId, shown)));
    });
}
