/** A view of a state: the rows that are asked for, and what is said about the rest. */
import { indexPlan, pathOf, toRunHeader, UNDO, type RunState } from "@runledger/core";
import type { CanonicalEngineEvent, Plan, PlanStep, StepRow } from "@runledger/contracts";
import { currentAttempt, type Attempts } from "./attempts.js";
import { readyAt } from "./ready-at.js";
import { findRows, placeRows, statusOf, type RowPlace } from "./rows.js";
import { stateRows } from "./state-rows.js";
import { density, tally } from "./tally.js";
import type { ContainerView, Look, PathView, RunView, Tally, ViewRow } from "./view.js";

export interface Shown {
  readonly plan: Plan | null;
  readonly state: RunState;
  readonly attempts: Attempts;
  /** Up to here the attempts are known from their events. */
  readonly eventsTo: number;
  /** The last one that it knows; undefined = it is not here. */
  readonly event: CanonicalEngineEvent | undefined;
  /** The moment that is shown. */
  readonly now: number;
  /** Of the run as it is by now. */
  readonly span: { readonly from: number; readonly to: number };
  /** Of a run whose steps are not all here: those inside containers, as numbers. Null = all of them are here. */
  readonly groups: ReadonlyMap<string, Tally> | null;
  /** The part of it that is looked at. */
  readonly window: { readonly from: number; readonly to: number };
}

export function rowsOf({ plan, state, groups }: Shown, { open, find, statuses }: Look): readonly RowPlace[] {
  if (groups !== null) return placeRows(plan, state, new Set());
  const text = find.trim().toLowerCase();
  if (text === "" && statuses.length === 0) return placeRows(plan, state, new Set(open));
  return findRows(
    plan,
    state,
    (row, step) =>
      row.stepId.toLowerCase().includes(text) && (statuses.length === 0 || statuses.includes(statusOf(row, step))),
  );
}

/** From when it was created to its end, or to now. */
export function spanOf({ details: { createdAt, startedAt, completedAt } }: RunState, now: number): Shown["span"] {
  const from = Date.parse(createdAt ?? startedAt ?? new Date(now).toISOString());
  const to = completedAt === undefined ? now : Date.parse(completedAt);
  return { from, to: Math.max(to, from + 1) };
}

export function windowOf(span: Shown["span"], zoom: Look["zoom"]): Shown["window"] {
  if (zoom === null) return span;
  const from = Math.min(span.from + zoom.from, span.to - 1);
  return { from, to: Math.max(span.from + zoom.to, from + 1) };
}

export function viewRow(place: RowPlace, shown: Shown, look: Look): ViewRow {
  const { stepId, label, depth, step } = place;
  const row = shown.state.steps.get(stepId);
  const opened = row?.opened;
  const attempts = attemptsOf(stepId, row, shown);
  return {
    stepId,
    label,
    depth,
    kind: place.isPass ? "pass" : (step?.kind ?? "step"),
    status: place.isPass && row === undefined ? passStatus(place, shown) : statusOf(row, step),
    attempts,
    readyAt: attempts[0]?.number === "1" ? readyAt(place, row, shown.state) : null, // else tries came before it
    attempt: row?.logicalAttemptId ?? null,
    takeOvers: row?.takeOvers ?? 0,
    error: row?.error === undefined ? null : `${row.error.code}: ${row.error.message.split("\n")[0]}`,
    signal: step?.signal ?? null,
    until: opened?.until ?? row?.retryAt ?? timeoutAt(row, step?.timeoutMs),
    childRunId: opened?.childRunId ?? null,
    reason: reasonOf(row),
    container: isContainer(place) ? containerView(place, row, shown, look) : null,
  };
}

/** Why it was skipped, in words. */
function reasonOf(row: StepRow | undefined): string | null {
  if (row?.reason === "UPSTREAM_FAILED" && row.culprit !== undefined) return `${row.culprit} failed`;
  return row?.reason ?? null;
}

function isContainer({ step, isPass }: RowPlace): boolean {
  return isPass || step?.bodies !== undefined;
}

function timeoutAt(row: StepRow | undefined, timeoutMs: number | undefined): string | null {
  if (row?.status !== "RUNNING" || row.startedAt === undefined || timeoutMs === undefined) return null;
  return new Date(Date.parse(row.startedAt) + timeoutMs).toISOString();
}

function attemptsOf(stepId: string, row: StepRow | undefined, { state, attempts, eventsTo }: Shown) {
  if (eventsTo >= state.lastEventSeq) return attempts.of(stepId, state.lastEventSeq);
  return row === undefined ? [] : currentAttempt(row);
}

function containerView(place: RowPlace, row: StepRow | undefined, shown: Shown, look: Look): ContainerView {
  const count = row?.opened?.count ?? null;
  if (shown.groups !== null)
    return { isOpen: false, canOpen: false, tally: shown.groups.get(place.stepId) ?? tally([]), count, density: [] };
  const isOpen = look.open.includes(place.stepId);
  const inside = stepsInside(shown.state, place.stepId);
  return {
    isOpen,
    canOpen: true,
    tally: tally(inside),
    count,
    density: isOpen ? [] : density(inside, shown.window),
  };
}

function stepsInside(state: RunState, stepId: string): readonly StepRow[] {
  const prefix = `${stepId}/`;
  return stateRows(state).filter((row) => row.stepId.startsWith(prefix));
}

/** A pass of a forEach has no events of its own: it is what its steps are. */
function passStatus({ stepId }: RowPlace, { state }: Shown): ViewRow["status"] {
  const { done, failed, running, waiting, skipped } = tally(stepsInside(state, stepId));
  if (failed > 0) return "FAILED";
  if (running > 0) return "RUNNING";
  if (waiting > 0) return "PENDING";
  return done > 0 ? "SUCCESS" : skipped > 0 ? "SKIPPED" : "NOT_STARTED";
}

/** By path in the plan: what a graph shows of a step that stands for many. */
export function pathsOf({ plan, state, groups }: Shown): Readonly<Record<string, PathView>> {
  if (plan === null) return {};
  const stepAt = indexPlan(plan);
  const byPath = new Map<string, StepRow[]>();
  for (const row of stateRows(state)) {
    if (groups !== null && row.stepId.includes("/")) continue; // of these only some are here
    const path = pathOf(row.stepId);
    if (!stepAt.has(path) || row.stepId.startsWith(UNDO) || row.stepId.split("/").length % 2 === 0) continue; // a pass
    const rows = byPath.get(path);
    if (rows === undefined) byPath.set(path, [row]);
    else rows.push(row);
  }
  return Object.fromEntries([...byPath].map(([path, rows]) => [path, pathView(rows, stepAt.get(path))]));
}

const URGENCY = ["FAILED", "RUNNING", "PENDING", "SUCCESS", "SKIPPED"] as const;

function pathView(rows: readonly StepRow[], step: PlanStep | undefined): PathView {
  const first = URGENCY.map((status) => rows.find((row) => row.status === status)).find((row) => row !== undefined)!;
  return { status: statusOf(first, step), tally: tally(rows), example: first.stepId };
}

/** The plan asks for it, and no event says that somebody has approved. */
export function waitsFor({ state, plan }: Shown): RunView["waitsFor"] {
  return state.status === "PENDING" && plan?.approval === true ? "approval" : undefined;
}

export function headerOf({ state }: Shown): RunView["header"] {
  return toRunHeader(state);
}
