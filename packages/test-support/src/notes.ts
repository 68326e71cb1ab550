/** Logs of runs that no worker executes. */
import { newEvent, type FullStateStore } from "@runledger/contracts";

export interface Notes {
  readonly runId: string;
  /** The seq of the first one. */
  readonly from: number;
  readonly count: number;
  /** Characters of each. */
  readonly size?: number;
  readonly tenantId?: string;
}

export async function appendNotes(
  store: FullStateStore,
  { runId, from, count, size = 10, tenantId }: Notes,
): Promise<void> {
  const events = Array.from({ length: count }, (_, index) =>
    newEvent({
      runId,
      planVersion: "1",
      eventType: "Noted",
      logicalAttemptId: String(from + index),
      eventData: { text: "x".repeat(size) },
    }),
  );
  await (tenantId === undefined ? store : store.forTenant(tenantId)).appendEvents(events);
}

/** 1, 2, 3, … */
export function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
