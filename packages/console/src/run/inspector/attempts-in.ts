import type { RunEvent } from "@runledger/client";

export interface AttemptEvents {
  readonly number: string;
  readonly started: RunEvent | undefined;
  readonly ended: RunEvent | undefined;
  readonly engineAttempt: string | undefined;
}

/** Oldest first. */
export function attemptsIn(events: readonly RunEvent[]): AttemptEvents[] {
  const numbers = [...new Set(events.map(({ logicalAttemptId }) => logicalAttemptId ?? "1"))];
  return numbers.map((number) => {
    const own = events.filter(({ logicalAttemptId }) => (logicalAttemptId ?? "1") === number);
    return {
      number,
      started: own.find(({ eventType }) => eventType === "StepStarted"),
      ended: own.find(({ eventType }) => eventType !== "StepStarted"),
      engineAttempt: own.at(-1)?.engineAttemptId,
    };
  });
}
