import type { Command } from "commander";
import type { RunSummary } from "@runledger/contracts";
import type { ListedRuns } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { duration, short } from "./format.js";
import { commandLine } from "./next-command.js";
import { paintStatus } from "./render-tree.js";
import { runFilter, runLimit, type RunFilterOptions } from "./run-filter.js";
import type { GlobalOptions } from "./session.js";
import { table } from "./table.js";
import { next, print, printJson } from "./terminal.js";

interface RunsOptions extends GlobalOptions, RunFilterOptions {
  readonly limit: string;
  readonly cursor?: string;
}

const many = (value: string, before: readonly string[] = []): string[] => [...before, value];

export function addRunsCommand(program: Command): void {
  program
    .command("runs")
    .summary("list runs, the latest first")
    .option("--status <status>", "RUNNING, FAILED, …; may be given several times", many)
    .option("--workflow <id[@version]>", "of this workflow, or of one version of it")
    .option("--label <name=value>", "with this label; may be given several times", many)
    .option("--error <text>", "with this text in the failing step's name or its error")
    .option("--since <time>", "created in the last 12h, 7d, …, or since 2026-11-14T08:00Z", "7d")
    .option("--until <time>", "created before that")
    .option("--project <id>", "of this project")
    .option("--environment <id>", "in this environment")
    .option("--tenant <id>", "of this tenant")
    .option("--parent <run>", "children of this run")
    .option("--schedule <id>", "started by this schedule")
    .option("--limit <n>", "how many at most", "20")
    .option("--cursor <cursor>", "go on where a page ended")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<RunsOptions>();
      const { cursor, limit } = options;
      const page = { limit: runLimit(limit), ...(cursor === undefined ? {} : { cursor }) };
      const listed = await withDesk(options, (desk) => desk.listRuns(runFilter(options), page));
      if (options.json === true) printPage(listed);
      else showPage(listed, options);
    });
}

function showPage({ runs, cursor, missing }: ListedRuns, options: RunsOptions): void {
  table(
    runs.map((run) => cells(run, missing(run))),
    { shrink: [6, 5, 1] },
  ).forEach((line) => print(line));
  const [latest] = runs;
  if (latest === undefined) print(`No such run was created since ${options.since}.`);
  if (cursor !== null) next(commandLine(options, "runs", ...sameFilter(options), "--cursor", cursor), "for the next");
  next(latest === undefined ? commandLine(options, "run", "<workflow>") : commandLine(options, "watch", latest.runId));
}

/** As they were typed, for the next page. */
function sameFilter(options: RunsOptions): string[] {
  const { since, until, project, environment, tenant, workflow, error, parent, schedule, limit } = options;
  const said = { since, until, project, environment, tenant, workflow, error, parent, schedule, limit };
  const lists = [
    ...(options.status ?? []).map((one) => ["status", one]),
    ...(options.label ?? []).map((one) => ["label", one]),
  ];
  return [...Object.entries(said), ...lists].flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}

function cells(run: RunSummary, missing: string | null): string[] {
  const { runId, planId = "", planVersion = "", startedAt, totalDurationMs, error, culprit, startedBy, waitsFor } = run;
  const time = totalDurationMs === undefined ? "" : duration(totalDurationMs);
  const why =
    error === undefined
      ? (missing ?? (waitsFor === undefined ? "" : `waits for ${waitsFor}`))
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
    why,
    stale,
  ];
}

/** One run per line; where there are more, the last one says where the next page begins. */
function printPage({ runs, cursor, missing }: ListedRuns): void {
  runs.forEach((run, index) => {
    const isLast = index === runs.length - 1 && cursor !== null;
    printJson({ ...summaryOf(run, missing(run)), ...(isLast ? { cursor } : {}) });
  });
}

function summaryOf({ planId, planVersion, ...run }: RunSummary, missing: string | null) {
  return { ...run, workflow: planId, version: planVersion, reason: missing ?? undefined };
}
