import type { Command } from "commander";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { Desk } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { eventLine } from "./event-lines.js";
import { commandLine } from "./next-command.js";
import type { GlobalOptions } from "./session.js";
import { untilStopped } from "./stop-signals.js";
import { next, print, printJson } from "./terminal.js";

interface EventsOptions extends GlobalOptions {
  readonly follow?: boolean;
}

export function addEventsCommand(program: Command): void {
  program
    .command("events <run>")
    .summary("print a run's events")
    .description("Prints everything that was recorded of a run, in order; with --json, one event per line.")
    .option("-f, --follow", "go on until the run has ended")
    .action(async (runId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<EventsOptions>();
      await withDesk(options, (desk) => printEvents(desk, runId, options));
    });
}

async function printEvents(desk: Desk, runId: string, options: EventsOptions): Promise<void> {
  using stopped = untilStopped();
  const show = (event: CanonicalEngineEvent) => (options.json === true ? printJson(event) : print(eventLine(event)));
  if (options.follow === true) for await (const { events } of desk.follow(runId, stopped.signal)) events.forEach(show);
  else for await (const events of desk.readEvents(runId)) events.forEach(show);
  if (options.json !== true) next(commandLine(options, "watch", runId));
}
