/** Many steps as a few numbers. */
import type { StepRow } from "@runledger/contracts";
import type { ContainerView, Tally } from "./view.js";

const SLICES = 120;

export function tally(rows: Iterable<StepRow>): Tally {
  const counts = { done: 0, failed: 0, running: 0, waiting: 0, skipped: 0 };
  for (const { status } of rows) counts[KEYS[status]]++;
  return counts;
}

const KEYS = { SUCCESS: "done", FAILED: "failed", RUNNING: "running", PENDING: "waiting", SKIPPED: "skipped" } as const;

/** How many were under way in each slice of the time, and how many of those failed. */
export function density(
  rows: Iterable<StepRow>,
  { from, to }: { readonly from: number; readonly to: number },
): ContainerView["density"] {
  const slices = Array.from({ length: SLICES }, () => ({ active: 0, failed: 0 }));
  const width = Math.max(1, to - from) / SLICES;
  const place = (at: number): number => Math.min(SLICES - 1, Math.max(0, Math.floor((at - from) / width)));
  for (const { startedAt, completedAt, status } of rows) {
    if (startedAt === undefined) continue;
    const end = completedAt === undefined ? to : Date.parse(completedAt);
    const last = place(end);
    for (let slice = place(Date.parse(startedAt)); slice <= last; slice++) slices[slice]!.active++;
    if (status === "FAILED") slices[last]!.failed++;
  }
  return slices;
}
