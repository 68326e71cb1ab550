import type { Command } from "commander";
import { withDesk } from "./desk/open-desk.js";
import type { GlobalOptions } from "./session.js";
import { exitCodeFor, showRun } from "./show-run.js";
import { untilStopped } from "./stop-signals.js";

export function addWatchCommand(program: Command): void {
  program
    .command("watch <run>")
    .summary("show a run until it has ended")
    .description("Shows a run until it has ended: a tree on a terminal, a line per event elsewhere.")
    .action(async (runId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      using stopped = untilStopped();
      const shown = { ...options, enough: stopped.signal };
      process.exitCode = exitCodeFor(await withDesk(options, (desk) => showRun(desk, runId, shown)));
    });
}
