import type { Command } from "commander";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { Ledger } from "../ledger/ledger.js";
import { eventLine } from "./event-lines.js";
import { followRun } from "./follow-run.js";
import { commandLine } from "./next-command.js";
import { withLedger, type GlobalOptions } from "./session.js";
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
      await withLedger(options, (ledger) => printEvents(ledger, runId, options));
    });
}

async function printEvents(ledger: Ledger, runId: string, options: EventsOptions): Promise<void> {
  using stopped = untilStopped();
  const show = (event: CanonicalEngineEvent) => (options.json === true ? printJson(event) : print(eventLine(event)));
  for await (const { events } of followRun(ledger.store, runId, stopped.signal)) {
    events.forEach(show);
    if (events.length === 0 && options.follow !== true) break;
  }
  if (options.json !== true) next(commandLine(options, "watch", runId));
}
