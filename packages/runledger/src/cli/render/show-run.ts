/** Shows a run until it finishes: a live tree on a terminal, a line per event elsewhere, or JSON. */
import { isTerminal, toRunSnapshot, untakenSignals, type RunState } from "@runledger/core";
import type { Backend, EventPage, KnownPlan } from "../backend/backend.js";
import { eventLine } from "./event-lines.js";
import { exitCodes, type ExitCode } from "../exit-codes.js";
import { duration } from "./format.js";
import { LiveScreen } from "./live-screen.js";
import { MissingWorkerWatch } from "../backend/missing-worker.js";
import { commandLine, nextFor } from "./next-command.js";
import { paintStatus, renderTree } from "./render-tree.js";
import type { GlobalOptions } from "../global-options.js";
import { printNext, paint, print, printJson } from "./terminal.js";
import { FailedAttempts } from "./tree-view.js";

export interface ShowOptions extends GlobalOptions {
  /** Stops showing the run; the run continues. */
  readonly signal: AbortSignal;
  /** Prints nothing and only waits for the result. */
  readonly quiet?: boolean;
}

export interface FinishedRun {
  readonly state: RunState;
}

/** Returns `null` if `signal` was aborted before the run finished. */
export async function showRun(backend: Backend, runId: string, options: ShowOptions): Promise<FinishedRun | null> {
  const show = rendererFor(options);
  const watch = new MissingWorkerWatch(backend);
  let [last, known]: [RunState | null, KnownPlan | null] = [null, null];
  for await (const page of backend.follow(runId, options.signal)) {
    if (options.quiet !== true) known ??= await backend.planOf(page.state);
    show(page, { known, missingWorker: options.quiet === true ? null : await watch.check(page) });
    last = page.state;
  }
  return last !== null && isTerminal(last.status) ? { state: last } : null;
}

/** Minimum time between two drawings while a log is being read. */
const DRAW_MS = 80;

interface Context {
  /** `null` if the plan is not available. */
  readonly known: KnownPlan | null;
  /** Explains why no worker can resume the run; `null` if one can. */
  readonly missingWorker: string | null;
}

type ShowPage = (page: EventPage, context: Context) => void;

function rendererFor(options: ShowOptions): ShowPage {
  if (options.quiet === true) return () => {};
  if (options.json === true) return jsonRenderer();
  return process.stdout.isTTY ? treeRenderer(options) : lineRenderer(options);
}

export function exitCodeFor(finished: FinishedRun | null): ExitCode {
  return finished === null || finished.state.status === "COMPLETED" ? exitCodes.done : exitCodes.runFailed;
}

function jsonRenderer(): ShowPage {
  return ({ events, state }) => {
    if (events.length > 0) printJson(toRunSnapshot(state));
  };
}

function lineRenderer(options: ShowOptions): ShowPage {
  let [suggested, reported]: (string | null)[] = [null, null];
  return ({ events, state }, { known, missingWorker }) => {
    for (const event of events) print(eventLine(event));
    if (events.length > 0) return; // more may follow immediately
    if (isTerminal(state.status)) print(summary(state));
    if (missingWorker !== null && missingWorker !== reported) printNext(commandLine(options, "worker"), missingWorker);
    const command = nextFor(options, state, known);
    if (command !== null && command !== suggested) printNext(command);
    [suggested, reported] = [command, missingWorker];
  };
}

function treeRenderer(options: ShowOptions): ShowPage {
  const screen = new LiveScreen();
  const failed = new FailedAttempts();
  let drawnAt = -Infinity;
  return ({ events, state }, { known, missingWorker }) => {
    for (const event of events) failed.add(event);
    if (events.length > 0 && performance.now() - drawnAt < DRAW_MS) return; // an empty page follows
    drawnAt = performance.now();
    const view = { state, plan: known?.plan ?? null, failed: failed.byStep, now: Date.now() };
    const command = missingWorker === null ? nextFor(options, state, known) : commandLine(options, "worker");
    const untaken = untakenSignals({ status: state.status, signals: state.details.signals });
    const below = [
      ...(untaken === null ? [] : [paint("yellow", `Untaken signals: ${untaken}`)]),
      ...(missingWorker === null ? [] : [paint("yellow", missingWorker)]),
      ...(command === null ? [] : [`${paint("dim", "Next")}  ${command}`]),
    ];
    screen.draw((rows) => [...renderTree(view, rows - below.length), ...below]);
  };
}

function summary(state: RunState): string {
  const { totalDurationMs, error, culprit } = state.details;
  const time = totalDurationMs === undefined ? "" : ` in ${duration(totalDurationMs)}`;
  const cause = error === undefined ? "" : `: ${culprit ?? ""} ${error.code} ${error.message}`;
  const untaken = untakenSignals({ status: state.status, signals: state.details.signals });
  const signals = untaken === null ? "" : paint("yellow", `\nUntaken signals: ${untaken}`);
  return `${paintStatus(state)}${time}${cause}${signals}`;
}
