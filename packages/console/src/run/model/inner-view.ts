/** Inner steps as the graph and the inspector show them (D11). */
import { pathOf } from "@runledger/core";
import type { StepRow } from "@runledger/contracts";
import { innerLabel } from "../../ui/inner-label.js";
import type { ViewSource } from "./make-view.js";
import { statusOf } from "./rows.js";
import { innerRows } from "./state-rows.js";
import { tally } from "./tally.js";
import type { InnerView, RunView, ViewQuery } from "./view.js";

/** More inner steps are not opened by themselves. */
const MAX_OPENED = 120;

export function containersOf({ state, groups }: ViewSource): readonly string[] {
  return groups === null ? [...innerRows(state).keys()] : [];
}

export function innerViews({ state, groups }: ViewSource, { frames, step }: ViewQuery): RunView["inner"] {
  if (groups !== null) return {};
  const all = [...innerRows(state)];
  const count = all.reduce((sum, [, rows]) => sum + rows.length, 0);
  const isOpen = (stepId: string): boolean => frames?.includes(pathOf(stepId)) ?? count <= MAX_OPENED;
  const around = step?.slice(0, Math.max(0, step.lastIndexOf("/")));
  const shown = all.filter(([stepId]) => stepId === step || stepId === around || isOpen(stepId));
  return Object.fromEntries(shown.map(([stepId, rows]) => [stepId, rows.map((row) => innerView(stepId, row))]));
}

function innerView(containerId: string, row: StepRow): InnerView {
  const { kind, after } = row.opened!.inner!;
  return {
    stepId: row.stepId,
    label: innerLabel(row.stepId.slice(containerId.length + 1), kind),
    kind,
    after,
    durationMs: durationOf(row),
    status: statusOf(row, undefined),
    tally: tally([row]),
    failedInside: 0,
    example: row.stepId,
  };
}

function durationOf({ status, startedAt, completedAt }: StepRow): number | null {
  if (status === "SKIPPED" || startedAt === undefined || completedAt === undefined) return null;
  return Math.max(0, Date.parse(completedAt) - Date.parse(startedAt));
}
