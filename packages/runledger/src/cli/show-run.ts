/** Showing a run until it has ended: a live tree on a terminal, a line per event elsewhere, JSON where asked for. */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { isTerminal, toRunSnapshot, type RunState } from "@runledger/core";
import type { Desk, KnownPlan, Page } from "./desk/desk.js";
import { eventLine } from "./event-lines.js";
import { exitCodes, type ExitCode } from "./exit-codes.js";
import { duration } from "./format.js";
import { LiveScreen } from "./live-screen.js";
import { MissingWorkerWatch } from "./missing-worker.js";
import { commandLine, nextFor } from "./next-command.js";
import { paintStatus, renderTree } from "./render-tree.js";
import type { GlobalOptions } from "./session.js";
import { next, paint, print, printJson } from "./terminal.js";
import { LostAttempts } from "./tree-view.js";

export interface ShowOptions extends GlobalOptions {
  /** Ends the showing; the run goes on. */
  readonly enough: AbortSignal;
  /** Shows nothing: the caller only wants to know how it ended. */
  readonly quiet?: boolean;
}

/** How a run ended. */
export interface Ended {
  readonly state: RunState;
  /** Null = it did not complete. */
  readonly completed: CanonicalEngineEvent | null;
}

/** Null = the caller had enough before the run had ended. */
export async function showRun(desk: Desk, runId: string, options: ShowOptions): Promise<Ended | null> {
  const show = pagesFor(options);
  const watch = new MissingWorkerWatch(desk);
  let [last, known]: [RunState | null, KnownPlan | null] = [null, null];
  let completed: CanonicalEngineEvent | null = null;
  for await (const page of desk.follow(runId, options.enough)) {
    if (options.quiet !== true) known ??= await desk.planOf(page.state);
    show(page, { known, missing: options.quiet === true ? null : await watch.look(page) });
    last = page.state;
    completed = page.events.findLast(({ eventType }) => eventType === "RunCompleted") ?? completed;
  }
  return last !== null && isTerminal(last.status) ? { state: last, completed } : null;
}

/** While a log is read faster than anybody can look, so much time is between two pictures. */
const DRAW_MS = 80;

interface About {
  /** Null = no plan is at hand. */
  readonly known: KnownPlan | null;
  /** Why nobody goes on with the run; null = somebody can. */
  readonly missing: string | null;
}

type ShowPage = (page: Page, about: About) => void;

function pagesFor(options: ShowOptions): ShowPage {
  if (options.quiet === true) return () => {};
  if (options.json === true) return jsonPages();
  return process.stdout.isTTY ? treePages(options) : linePages(options);
}

export function exitCodeFor(ended: Ended | null): ExitCode {
  return ended === null || ended.state.status === "COMPLETED" ? exitCodes.done : exitCodes.runFailed;
}

function jsonPages(): ShowPage {
  return ({ events, state }) => {
    if (events.length > 0) printJson(toRunSnapshot(state));
  };
}

function linePages(options: ShowOptions): ShowPage {
  let [offered, told]: (string | null)[] = [null, null];
  return ({ events, state }, { known, missing }) => {
    for (const event of events) print(eventLine(event));
    if (events.length > 0) return; // more may follow at once
    if (isTerminal(state.status)) print(summary(state));
    if (missing !== null && missing !== told) next(commandLine(options, "worker"), missing);
    const command = nextFor(options, state, known);
    if (command !== null && command !== offered) next(command);
    [offered, told] = [command, missing];
  };
}

function treePages(options: ShowOptions): ShowPage {
  const screen = new LiveScreen();
  const lost = new LostAttempts();
  let drawnAt = -Infinity;
  return ({ events, state }, { known, missing }) => {
    for (const event of events) lost.see(event);
    if (events.length > 0 && performance.now() - drawnAt < DRAW_MS) return; // an empty page follows
    drawnAt = performance.now();
    const view = { state, plan: known?.plan ?? null, lost: lost.byStep, now: Date.now() };
    const command = missing === null ? nextFor(options, state, known) : commandLine(options, "worker");
    const below = [
      ...(missing === null ? [] : [paint("yellow", missing)]),
      ...(command === null ? [] : [`${paint("dim", "Next")}  ${command}`]),
    ];
    screen.draw((rows) => [...renderTree(view, rows - below.length), ...below]);
  };
}

function summary(state: RunState): string {
  const { totalDurationMs, error, culprit } = state.details;
  const time = totalDurationMs === undefined ? "" : ` in ${duration(totalDurationMs)}`;
  const why = error === undefined ? "" : `: ${culprit ?? ""} ${error.code} ${error.message}`;
  return `${paintStatus(state)}${time}${why}`;
}
