import type { Command } from "commander";
import { InputError, type RunHead } from "@runledger/contracts";
import { parseDuration, type RunState } from "@runledger/core";
import type { Ledger } from "../ledger/ledger.js";
import { loadState } from "../ledger/load-state.js";
import { duration, short } from "./format.js";
import { missingWorker } from "./missing-worker.js";
import { commandLine } from "./next-command.js";
import { paintStatus } from "./render-tree.js";
import { withLedger, type GlobalOptions } from "./session.js";
import { next, print, printJson } from "./terminal.js";

interface RunsOptions extends GlobalOptions {
  readonly since: string;
  readonly limit: string;
}

interface ListedRun {
  readonly state: RunState;
  /** Why nobody goes on with it; null = somebody can. */
  readonly missing: string | null;
}

export function addRunsCommand(program: Command): void {
  program
    .command("runs")
    .summary("list recent runs, the latest first")
    .option("--since <duration>", "how far back", "7d")
    .option("--limit <n>", "how many at most", "20")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<RunsOptions>();
      const runs = await withLedger(options, (ledger) => recentRuns(ledger, options));
      if (options.json === true) return runs.forEach((run) => printJson(summaryOf(run)));
      runs.forEach((run) => print(runLine(run)));
      const [latest] = runs;
      if (latest === undefined) print(`No run began in the last ${options.since}.`);
      next(
        latest === undefined
          ? commandLine(options, "run", "<workflow>")
          : commandLine(options, "watch", latest.state.runId),
      );
    });
}

/** Ids of runs sort by time: those that are wanted stand at the end of the heads. */
async function recentRuns({ store }: Ledger, options: RunsOptions): Promise<ListedRun[]> {
  const since = parseDuration(options.since);
  const limit = Number(options.limit);
  if (since === null) throw new InputError("OPTION_INVALID", "--since", "write a duration, as in 12h or 7d.");
  if (!Number.isInteger(limit) || limit < 1)
    throw new InputError("OPTION_INVALID", "--limit", "write a number from 1.");
  const heads: RunHead[] = [];
  let afterRunId = `run_${(Date.now() - since).toString(16).padStart(12, "0")}`;
  for (
    let page = await store.listHeads({ afterRunId });
    page.length > 0;
    page = await store.listHeads({ afterRunId })
  ) {
    heads.push(...page);
    afterRunId = page.at(-1)!.runId;
  }
  heads.sort((a, b) => (a.persistedAt < b.persistedAt ? 1 : -1));
  const states = await Promise.all(heads.slice(0, limit).map(({ runId }) => loadState(store, runId)));
  const workers = await store.leases.listWorkers();
  return states.map((state) => ({ state, missing: missingWorker(workers, state) }));
}

function runLine({ state, missing }: ListedRun): string {
  const { planId = "", planVersion = "", startedAt, totalDurationMs, error, culprit } = state.details;
  const time = totalDurationMs === undefined ? "" : duration(totalDurationMs);
  const why = error === undefined ? (missing ?? "") : short(`${culprit ?? ""}: ${error.code} ${error.message}`, 60);
  const started = startedAt?.slice(0, 19).replace("T", " ") ?? "";
  return [state.runId, `${planId} ${planVersion}`, paintStatus(state), started, time, why].join("   ").trimEnd();
}

function summaryOf({ state: { runId, status, details }, missing }: ListedRun) {
  const { planId, planVersion, startedAt, completedAt, culprit } = details;
  const reason = missing ?? undefined;
  return { runId, workflow: planId, version: planVersion, status, startedAt, completedAt, culprit, reason };
}
