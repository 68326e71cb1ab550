import type { Command } from "commander";
import { omitUndefined, type RunSummary } from "@runledger/contracts";
import type { RunListing } from "../backend/backend.js";
import { withBackend } from "../backend/open-backend.js";
import { duration, short } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { paintStatus } from "../render/render-tree.js";
import { addRunFilters, runFilter, runLimit, type RunFilterOptions } from "./run-filter.js";
import type { GlobalOptions } from "../global-options.js";
import { table } from "../render/table.js";
import { printNext, print, printJson } from "../render/terminal.js";

interface RunsOptions extends GlobalOptions, RunFilterOptions {
  readonly limit: string;
  readonly cursor?: string;
}

export function addRunsCommand(program: Command): void {
  addRunFilters(program.command("runs"))
    .summary("list runs, newest first")
    .option("--limit <n>", "maximum number of runs", "20")
    .option("--cursor <cursor>", "start of the page, as printed by the previous one")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<RunsOptions>();
      const { cursor, limit } = options;
      const page = { limit: runLimit(limit), ...omitUndefined({ cursor }) };
      const listed = await withBackend(options, (backend) => backend.listRuns(runFilter(options), page));
      if (options.json === true) printPage(listed);
      else showPage(listed, options);
    });
}

function showPage({ runs, cursor, missingWorker }: RunListing, options: RunsOptions): void {
  table(
    runs.map((run) => cells(run, missingWorker(run))),
    { shrink: [6, 5, 1], head: ["RUN", "WORKFLOW", "STATUS", "STARTED", "TIME", "BY", "REASON", ""] },
  ).forEach((line) => print(line));
  const [latest] = runs;
  if (latest === undefined) print(`No matching runs since ${options.since}.`);
  if (cursor !== null)
    printNext(commandLine(options, "runs", ...sameFilter(options), "--cursor", cursor), "for the next page");
  printNext(
    latest === undefined ? commandLine(options, "run", "<workflow>") : commandLine(options, "watch", latest.runId),
  );
}

/** Repeats the filter options for the next page. */
function sameFilter(options: RunsOptions): string[] {
  const { since, until, project, environment, tenant, workflow, error, parent, schedule, limit } = options;
  const single = { since, until, project, environment, tenant, workflow, error, parent, schedule, limit };
  const lists = [
    ...(options.status ?? []).map((one) => ["status", one]),
    ...(options.label ?? []).map((one) => ["label", one]),
  ];
  return [...Object.entries(single), ...lists].flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}

function cells(run: RunSummary, missing: string | null): string[] {
  const { runId, planId = "", planVersion = "", startedAt, totalDurationMs, error, culprit, startedBy, waitsFor } = run;
  const time = totalDurationMs === undefined ? "" : duration(totalDurationMs);
  const reason =
    error === undefined
      ? (missing ?? (waitsFor === undefined ? "" : `waiting for ${waitsFor}`))
      : short(`${culprit ?? ""}: ${error.code} ${error.message}`, 60);
  const started = startedAt?.slice(0, 19).replace("T", " ") ?? "";
  const stale = run.stale === true ? "stale" : "";
  return [
    runId,
    `${planId} ${planVersion}`,
    paintStatus(run),
    started,
    time,
    startedBy === undefined ? "" : `by ${startedBy}`,
    reason,
    stale,
  ];
}

/** Prints a run per line. If there are more pages, the last line has the cursor of the next one. */
function printPage({ runs, cursor, missingWorker }: RunListing): void {
  runs.forEach((run, index) => {
    const isLast = index === runs.length - 1 && cursor !== null;
    printJson({ ...summaryOf(run, missingWorker(run)), ...(isLast ? { cursor } : {}) });
  });
}

function summaryOf({ planId, planVersion, ...run }: RunSummary, missing: string | null) {
  return { ...run, workflow: planId, version: planVersion, reason: missing ?? undefined };
}
