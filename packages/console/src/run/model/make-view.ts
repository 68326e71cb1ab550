/** Builds the view of a state: the requested rows, and summaries of the rest. */
import { indexPlan, pathOf, toRunHeader, UNDO, type RunState } from "@runledger/core";
import type { CanonicalEngineEvent, Plan, PlanStep, StepRow } from "@runledger/contracts";
import { currentAttempt, type Attempts } from "./attempts.js";
import { readyAt } from "./ready-at.js";
import { findRows, placeRows, statusOf, type RowPlace } from "./rows.js";
import { innerRows, stateRows } from "./state-rows.js";
import { density, tally } from "./tally.js";
import type { TimeScale } from "./time-scale.js";
import type { Stretch } from "./work-time.js";
import type { ContainerView, ViewQuery, PathView, RunView, Tally, ViewRow } from "./view.js";

export interface ViewSource {
  readonly plan: Plan | null;
  readonly state: RunState;
  readonly attempts: Attempts;
  /** Attempts are known from events up to this seq. */
  readonly eventsTo: number;
  /** The last event of the state. `undefined` if it is not loaded. */
  readonly event: CanonicalEngineEvent | undefined;
  /** The last action that cancelled the run. */
  readonly cancelledBy: { readonly by: string; readonly seq: number } | null;
  /** The time that is shown. */
  readonly now: number;
  /** The time range of the run so far. */
  readonly span: { readonly from: number; readonly to: number };
  /** Counts for the steps inside containers. `null` if all steps are loaded. */
  readonly groups: ReadonlyMap<string, Tally> | null;
  /** The visible part of `span`. */
  readonly scale: TimeScale;
}

export function rowsOf({ plan, state, groups }: ViewSource, { open, find, statuses }: ViewQuery): readonly RowPlace[] {
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

/** From the creation of the run to its end, or to now. */
export function spanOf({ details: { createdAt, startedAt, completedAt } }: RunState, now: number): ViewSource["span"] {
  const from = Date.parse(createdAt ?? startedAt ?? new Date(now).toISOString());
  const to = completedAt === undefined ? now : Date.parse(completedAt);
  return { from, to: Math.max(to, from + 1) };
}

export function windowOf(span: ViewSource["span"], zoom: ViewQuery["zoom"]): Stretch {
  if (zoom === null) return span;
  const from = Math.min(span.from + zoom.from, span.to - 1);
  return { from, to: Math.max(span.from + zoom.to, from + 1) };
}

export function viewRow(place: RowPlace, shown: ViewSource, look: ViewQuery): ViewRow {
  const { stepId, label, depth, step } = place;
  const row = shown.state.steps.get(stepId);
  const opened = row?.opened;
  const attempts = attemptsOf(stepId, row, shown);
  return {
    stepId,
    label,
    depth,
    kind: place.isPass ? "pass" : (opened?.inner?.kind ?? step?.kind ?? "step"),
    status: place.isPass && row === undefined ? passStatus(place, shown) : statusOf(row, step),
    attempts,
    readyAt: attempts[0]?.number === "1" ? readyAt(place, row, shown.state) : null, // a later attempt did not wait for other steps
    attempt: row?.logicalAttemptId ?? null,
    takeOvers: row?.takeOvers ?? 0,
    error: row?.error === undefined ? null : `${row.error.code}: ${row.error.message.split("\n")[0]}`,
    signal: step?.signal ?? null,
    until: opened?.until ?? row?.retryAt ?? timeoutAt(row, step?.timeoutMs),
    childRunId: opened?.childRunId ?? null,
    reason: statusOf(row, step) === "CANCELLED" ? cancelReason(shown) : reasonOf(row),
    container: isContainer(place, shown) ? containerView(place, row, shown, look) : null,
  };
}

/** A step is stopped because an operator cancelled the run, or because the run fails. */
function cancelReason({ cancelledBy, state: { details, lastEventSeq } }: ViewSource): string | null {
  if (cancelledBy !== null && cancelledBy.seq <= lastEventSeq) return `by ${cancelledBy.by}`;
  return details.culprit === undefined ? null : `because ${details.culprit} failed`;
}

/** Returns the reason why the step was skipped. */
function reasonOf(row: StepRow | undefined): string | null {
  if (row?.reason === "UPSTREAM_FAILED" && row.culprit !== undefined) return `${row.culprit} failed`;
  return row?.reason ?? null;
}

/** A step whose runner has recorded inner steps is a container, too. */
function isContainer({ stepId, step, isPass }: RowPlace, { state, groups }: ViewSource): boolean {
  if (isPass || step?.bodies !== undefined) return true;
  return step !== undefined && (groups === null ? innerRows(state).has(stepId) : groups.has(stepId));
}

function timeoutAt(row: StepRow | undefined, timeoutMs: number | undefined): string | null {
  if (row?.status !== "RUNNING" || row.startedAt === undefined || timeoutMs === undefined) return null;
  return new Date(Date.parse(row.startedAt) + timeoutMs).toISOString();
}

function attemptsOf(stepId: string, row: StepRow | undefined, { state, attempts, eventsTo }: ViewSource) {
  if (eventsTo >= state.lastEventSeq) return attempts.of(stepId, state.lastEventSeq);
  return row === undefined ? [] : currentAttempt(row);
}

function containerView(place: RowPlace, row: StepRow | undefined, shown: ViewSource, look: ViewQuery): ContainerView {
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
    density: isOpen ? [] : density(inside, shown.scale),
  };
}

function stepsInside(state: RunState, stepId: string): readonly StepRow[] {
  const prefix = `${stepId}/`;
  return stateRows(state).filter((row) => row.stepId.startsWith(prefix));
}

/** A pass of a forEach has no events. Its status follows from its steps. */
function passStatus({ stepId }: RowPlace, { state }: ViewSource): ViewRow["status"] {
  const { done, failed, running, waiting, skipped } = tally(stepsInside(state, stepId));
  if (failed > 0) return "FAILED";
  if (running > 0) return "RUNNING";
  if (waiting > 0) return "PENDING";
  return done > 0 ? "SUCCESS" : skipped > 0 ? "SKIPPED" : "NOT_STARTED";
}

/** Returns the steps of the plan by path, for the graph. */
export function pathsOf({ plan, state, groups }: ViewSource): Readonly<Record<string, PathView>> {
  if (plan === null) return {};
  const stepAt = indexPlan(plan);
  const byPath = new Map<string, StepRow[]>();
  for (const row of stateRows(state)) {
    if (groups !== null && row.stepId.includes("/")) continue; // only some of these steps are loaded
    const path = pathOf(row.stepId);
    if (!stepAt.has(path) || row.stepId.startsWith(UNDO) || row.stepId.split("/").length % 2 === 0) continue; // a pass
    const rows = byPath.get(path);
    if (rows === undefined) byPath.set(path, [row]);
    else rows.push(row);
  }
  const failures = failuresInside(byPath);
  const found = [...byPath].map(([path, rows]) => {
    const view = pathView(rows, stepAt.get(path));
    return [path, { ...view, ...failures.get(path), ...insideOf(state, view.example) }] as const;
  });
  return Object.fromEntries(found);
}

/** Counts the inner steps of a step. */
function insideOf(state: RunState, stepId: string): Partial<PathView> {
  const rows = innerRows(state).get(stepId);
  if (rows === undefined) return {};
  const counts = tally(rows);
  return { tally: counts, failedInside: counts.failed };
}

/** A container may succeed although steps inside it failed. Its node shows them, and selecting it opens one. */
function failuresInside(byPath: ReadonlyMap<string, readonly StepRow[]>) {
  const inside = new Map<string, { failedInside: number; example: string }>();
  for (const [path, rows] of byPath) {
    const failed = rows.filter(({ status, error }) => status === "FAILED" && error?.code !== "CANCELLED");
    if (failed.length === 0) continue;
    const names = path.split("/");
    for (const container of names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join("/"))) {
      const known = inside.get(container);
      inside.set(container, {
        failedInside: (known?.failedInside ?? 0) + failed.length,
        example: known?.example ?? failed[0]!.stepId,
      });
    }
  }
  return inside;
}

const URGENCY = ["FAILED", "RUNNING", "PENDING", "SUCCESS", "SKIPPED"] as const;

function pathView(rows: readonly StepRow[], step: PlanStep | undefined): PathView {
  const first = URGENCY.map((status) => rows.find((row) => row.status === status)).find((row) => row !== undefined)!;
  return { status: statusOf(first, step), tally: tally(rows), failedInside: 0, example: first.stepId };
}

/** The plan requires approval, and no event has recorded one. */
export function waitsFor({ state, plan }: ViewSource): RunView["waitsFor"] {
  return state.status === "PENDING" && plan?.approval === true ? "approval" : undefined;
}

export function headerOf({ state }: ViewSource): RunView["header"] {
  return toRunHeader(state);
}
