import type { CanonicalEngineEvent } from "@runledger/contracts";
import { UNDO } from "@runledger/core";
import type { Tally } from "./view.js";

type Change = Partial<Record<keyof Tally, number>>;

const NONE: Tally = { done: 0, failed: 0, running: 0, waiting: 0, skipped: 0 };

/** Updates the counts of containers with events, for runs whose steps are not loaded. */
export function tallyAfter(
  groups: ReadonlyMap<string, Tally>,
  events: readonly CanonicalEngineEvent[],
): ReadonlyMap<string, Tally> {
  const after = new Map(groups);
  for (const event of events) {
    const container = containerOf(event.stepId);
    const change = container === null ? null : changeBy(event);
    if (container !== null && change !== null) after.set(container, changed(after.get(container) ?? NONE, change));
  }
  return after;
}

/** Returns the outermost container of a step. */
function containerOf(stepId: string | undefined): string | null {
  if (stepId === undefined || stepId.startsWith(UNDO) || !stepId.includes("/")) return null;
  return stepId.slice(0, stepId.indexOf("/"));
}

function changeBy({ eventType, logicalAttemptId }: CanonicalEngineEvent): Change | null {
  if (eventType === "StepStarted") return logicalAttemptId === "1" ? { running: 1 } : { running: 1, failed: -1 };
  if (eventType === "StepCompleted") return { running: -1, done: 1 };
  if (eventType === "StepFailed") return { running: -1, failed: 1 };
  return eventType === "StepSkipped" ? { skipped: 1 } : null;
}

function changed(tally: Tally, change: Change): Tally {
  const parts = Object.entries(change) as [keyof Tally, number][];
  return { ...tally, ...Object.fromEntries(parts.map(([part, by]) => [part, Math.max(0, tally[part] + by)])) };
}
