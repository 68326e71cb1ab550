/** Showing a run until it has ended: a live tree on a terminal, a line per event elsewhere, JSON where asked for. */
import { isTerminal, toRunSnapshot, type RunState } from "@runledger/core";
import type { Ledger } from "../ledger/ledger.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { eventLine } from "./event-lines.js";
import { exitCodes, type ExitCode } from "./exit-codes.js";
import { duration } from "./format.js";
import { followRun, type Page } from "./follow-run.js";
import { LiveScreen } from "./live-screen.js";
import { MissingWorkerWatch } from "./missing-worker.js";
import { commandLine, nextFor } from "./next-command.js";
import { paintStatus, renderTree } from "./render-tree.js";
import type { GlobalOptions } from "./session.js";
import { next, paint, print, printJson } from "./terminal.js";
import { LostAttempts } from "./tree-view.js";

export interface ShowOptions extends GlobalOptions {
  /** Gives the workflow of a run, where a project is at hand. */
  readonly workflowOf: (state: RunState) => CompiledWorkflow | null;
  /** Ends the showing; the run goes on. */
  readonly enough: AbortSignal;
  /** Shows nothing: the caller only wants to know how it ended. */
  readonly quiet?: boolean;
}

/** Null = the caller had enough before the run had ended. */
export async function showRun(ledger: Ledger, runId: string, options: ShowOptions): Promise<RunState | null> {
  const show = pagesFor(options);
  const watch = new MissingWorkerWatch(ledger.store);
  let last: RunState | null = null;
  for await (const page of followRun(ledger.store, runId, options.enough)) {
    show(page, await watch.look(page));
    last = page.state;
  }
  return last !== null && isTerminal(last.status) ? last : null;
}

/** `missing`: why nobody goes on with the run; null = somebody can. */
type ShowPage = (page: Page, missing: string | null) => void;

function pagesFor(options: ShowOptions): ShowPage {
  if (options.quiet === true) return () => {};
  if (options.json === true) return jsonPages();
  return process.stdout.isTTY ? treePages(options) : linePages(options);
}

export function exitCodeFor(state: RunState | null): ExitCode {
  return state === null || state.status === "COMPLETED" ? exitCodes.done : exitCodes.runFailed;
}

function jsonPages(): ShowPage {
  return ({ events, state }) => {
    if (events.length > 0) printJson(toRunSnapshot(state));
  };
}

function linePages(options: ShowOptions): ShowPage {
  let [offered, told]: (string | null)[] = [null, null];
  return ({ events, state }, missing) => {
    for (const event of events) print(eventLine(event));
    if (events.length > 0) return; // more may follow at once
    if (isTerminal(state.status)) print(summary(state));
    if (missing !== null && missing !== told) next(commandLine(options, "worker"), missing);
    const command = nextFor(options, state, options.workflowOf(state));
    if (command !== null && command !== offered) next(command);
    [offered, told] = [command, missing];
  };
}

function treePages(options: ShowOptions): ShowPage {
  const screen = new LiveScreen();
  const lost = new LostAttempts();
  return ({ events, state }, missing) => {
    for (const event of events) lost.see(event);
    const workflow = options.workflowOf(state);
    const lines = renderTree({ state, plan: workflow?.plan ?? null, lost: lost.byStep, now: Date.now() });
    if (missing !== null) lines.push(paint("yellow", missing));
    const command = missing === null ? nextFor(options, state, workflow) : commandLine(options, "worker");
    screen.draw(command === null ? lines : [...lines, `${paint("dim", "Next")}  ${command}`]);
  };
}

function summary(state: RunState): string {
  const { totalDurationMs, error, culprit } = state.details;
  const time = totalDurationMs === undefined ? "" : ` in ${duration(totalDurationMs)}`;
  const why = error === undefined ? "" : `: ${culprit ?? ""} ${error.code} ${error.message}`;
  return `${paintStatus(state)}${time}${why}`;
}
