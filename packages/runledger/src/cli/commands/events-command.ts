import { Option, type Command } from "commander";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import type { Backend } from "../backend/backend.js";
import { withRun } from "../backend/find-run.js";
import { eventLine } from "../render/event-lines.js";
import { commandLine } from "../render/next-command.js";
import type { GlobalOptions } from "../global-options.js";
import { stopSignal } from "../stop-signals.js";
import { printNext, print, printJson } from "../render/terminal.js";

interface EventsOptions extends GlobalOptions {
  readonly follow?: boolean;
  readonly archive?: string;
}

export function addEventsCommand(program: Command): void {
  program
    .command("events <run>")
    .summary("print a run's events")
    .description("Prints the events of a run in order; with --json, one event per line.")
    .addOption(new Option("-f, --follow", "keep printing until the run finishes").conflicts("archive"))
    .option("--archive <place>", "read a complete run id from an archive of files: a folder or s3://bucket/prefix")
    .action(async (given: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<EventsOptions>();
      if (options.archive !== undefined) return await printArchived(options.archive, given, options);
      await withRun(options, given, (backend, runId) => printEvents(backend, runId, options));
    });
}

/** Needs no store: the run may be deleted there. */
async function printArchived(archive: string, runId: string, options: EventsOptions): Promise<void> {
  const { openPlace } = await import("@runledger/runtime/archive/archive-place");
  const { readArchivedEvents } = await import("@runledger/runtime/archive/read-archive");
  for await (const events of readArchivedEvents(await openPlace(archive), runId)) events.forEach(showWith(options));
  if (options.json !== true)
    printNext(commandLine(options, "store", "import", "--from", archive), "to restore its runs");
}

async function printEvents(backend: Backend, runId: string, options: EventsOptions): Promise<void> {
  using stopped = stopSignal();
  const show = showWith(options);
  if (options.follow === true)
    for await (const { events } of backend.follow(runId, stopped.signal)) events.forEach(show);
  else for await (const events of backend.readEvents(runId)) events.forEach(show);
  if (options.json !== true) printNext(commandLine(options, "watch", runId));
}

function showWith({ json }: EventsOptions): (event: CanonicalEngineEvent) => void {
  return (event) => (json === true ? printJson(event) : print(eventLine(event)));
}
