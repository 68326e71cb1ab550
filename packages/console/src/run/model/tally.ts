import type { StepRow } from "@runledger/contracts";
import { shareOf, type TimeScale } from "./time-scale.js";
import type { ContainerView, Tally } from "./view.js";

const SLICES = 120;

export function tally(rows: Iterable<StepRow>): Tally {
  const counts = { done: 0, failed: 0, running: 0, waiting: 0, skipped: 0 };
  for (const { status } of rows) counts[KEYS[status]]++;
  return counts;
}

const KEYS = { SUCCESS: "done", FAILED: "failed", RUNNING: "running", PENDING: "waiting", SKIPPED: "skipped" } as const;

/** Returns the number of running and failed steps in each slice of the axis. */
export function density(rows: Iterable<StepRow>, scale: TimeScale): ContainerView["density"] {
  const slices = Array.from({ length: SLICES }, () => ({ active: 0, failed: 0 }));
  const sliceAt = (at: number): number => Math.min(SLICES - 1, Math.max(0, Math.floor(shareOf(at, scale) * SLICES)));
  for (const { startedAt, completedAt, status } of rows) {
    if (startedAt === undefined) continue;
    const end = completedAt === undefined ? scale.to : Date.parse(completedAt);
    const last = sliceAt(end);
    for (let slice = sliceAt(Date.parse(startedAt)); slice <= last; slice++) slices[slice]!.active++;
    if (status === "FAILED") slices[last]!.failed++;
  }
  return slices;
}
