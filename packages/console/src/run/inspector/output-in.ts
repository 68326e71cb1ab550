import type { RunEvent } from "@runledger/client";

interface FoundOutput {
  readonly isComplete: boolean;
  readonly output: unknown;
  /** The step whose output it is, where it is that of another (a container's). */
  readonly from: string | null;
  /** What it changed in the run's state. */
  readonly patch: unknown;
}

/** What a step gave, by its events. */
export function outputIn(events: readonly RunEvent[]): FoundOutput {
  const last = events.findLast(({ eventType }) => eventType === "StepCompleted");
  const data = (last?.eventData ?? {}) as { output?: unknown; outputFrom?: string; patch?: unknown };
  return { isComplete: last !== undefined, output: data.output, from: data.outputFrom ?? null, patch: data.patch };
}
