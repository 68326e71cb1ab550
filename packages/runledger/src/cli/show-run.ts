/** Showing a run until it has ended: a live tree on a terminal, a line per event elsewhere, JSON where asked for. */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { isTerminal, toRunSnapshot, type RunState } from "@runledger/core";
import type { Ledger } from "../ledger/ledger.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { eventLine } from "./event-lines.js";
import { exitCodes, type ExitCode } from "./exit-codes.js";
import { duration } from "./format.js";
import { followRun, type Page } from "./follow-run.js";
import { LiveScreen } from "./live-screen.js";
import { commandLine, nextFor } from "./next-command.js";
import { paintStatus, renderTree } from "./render-tree.js";
import type { GlobalOptions } from "./session.js";
import { next, paint, print, printJson } from "./terminal.js";
import { LostAttempts } from "./tree-view.js";

/** Nobody has taken a run for so long: say how to start a worker. */
const LONELY_MS = 3_000;

export interface ShowOptions extends GlobalOptions {
  /** Gives the workflow of a run, where a project is at hand. */
  readonly workflowOf: (state: RunState) => CompiledWorkflow | null;
  /** Ends the showing; the run goes on. */
  readonly enough: AbortSignal;
}

/** Null = the caller had enough before the run had ended. */
export async function showRun(ledger: Ledger, runId: string, options: ShowOptions): Promise<RunState | null> {
  const show = options.json === true ? jsonPages() : process.stdout.isTTY ? treePages(options) : linePages(options);
  let last: RunState | null = null;
  for await (const page of followRun(ledger.store, runId, options.enough)) {
    show(page);
    last = page.state;
  }
  return last !== null && isTerminal(last.status) ? last : null;
}

export function exitCodeFor(state: RunState | null): ExitCode {
  return state === null || state.status === "COMPLETED" ? exitCodes.done : exitCodes.runFailed;
}

function jsonPages() {
  return ({ events, state }: Page): void => {
    if (events.length > 0) printJson(toRunSnapshot(state));
  };
}

function linePages(options: ShowOptions) {
  const lonely = loneliness();
  return ({ events, state }: Page): void => {
    for (const event of events) print(eventLine(event));
    if (lonely(events, state)) next(commandLine(options, "worker"), "no worker has taken the run yet");
    if (events.some((event) => offersSomething(event))) offer(options, state);
    if (events.length === 0 && isTerminal(state.status)) print(summary(state));
  };
}

/** Once, when the run has been waiting for a worker for a while. */
function loneliness() {
  const since = Date.now();
  let said = false;
  return (events: readonly CanonicalEngineEvent[], { lastEventSeq }: RunState): boolean => {
    if (said || events.length > 0 || lastEventSeq > 1 || Date.now() - since < LONELY_MS) return false;
    said = true;
    return true;
  };
}

function offersSomething({ eventType }: CanonicalEngineEvent): boolean {
  return ["StepStarted", "RunQueued", "RunPaused", "RunFailed", "RunCancelled"].includes(eventType);
}

function offer(options: ShowOptions, state: RunState): void {
  const command = nextFor(options, state, options.workflowOf(state));
  if (command !== null) next(command);
}

function treePages(options: ShowOptions) {
  const screen = new LiveScreen();
  const lost = new LostAttempts();
  const lonely = loneliness();
  let hint = "";
  return ({ events, state }: Page): void => {
    for (const event of events) lost.see(event);
    if (lonely(events, state)) hint = commandLine(options, "worker");
    const workflow = options.workflowOf(state);
    const lines = renderTree({ state, plan: workflow?.plan ?? null, lost: lost.byStep, now: Date.now() });
    const command = nextFor(options, state, workflow) ?? (state.lastEventSeq > 1 ? null : hint);
    screen.draw(command === null || command === "" ? lines : [...lines, `${paint("dim", "Next")}  ${command}`]);
  };
}

function summary(state: RunState): string {
  const { totalDurationMs, error, culprit } = state.details;
  const time = totalDurationMs === undefined ? "" : ` in ${duration(totalDurationMs)}`;
  const why = error === undefined ? "" : `: ${culprit ?? ""} ${error.code} ${error.message}`;
  return `${paintStatus(state)}${time}${why}`;
}
