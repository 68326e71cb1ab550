/** Checks the result of a round and prints a table of its faults. */
import { expect } from "vitest";
import type { Round } from "./round.js";

interface ReportOptions {
  /** `false` if former owners of a run may find out in another way than by a refused append. */
  readonly expectsRefused?: boolean;
}

export function judgeAndPrint(
  seed: number,
  { broken, hits, events, operations, started }: Round,
  { expectsRefused = true }: ReportOptions = {},
): void {
  const of = (type: string): number => events.filter(({ eventType }) => eventType === type).length;
  const refused = operations.filter(
    (each) =>
      each.kind === "append" &&
      each.parts.some(({ outcome }) => outcome.status === "refused" && outcome.code === "STALE_LEASE"),
  );
  const lost = events.filter(({ eventType, eventData }) => {
    return eventType === "StepFailed" && JSON.stringify(eventData).includes("WORKER_LOST");
  });
  console.log(
    [
      `seed ${seed}: ${started.length} runs, ${events.length} events, ${operations.length} operations`,
      `${of("RunCompleted")} completed, ${of("RunCancelled")} cancelled, ${of("RunFailed")} failed, ${lost.length} steps lost`,
      `${of("RunTakenOver")} take-overs, ${refused.length} appends of former owners refused`,
      ...[...hits].map(([name, count]) => `${name}: ${count}`).toSorted(),
    ].join("\n"),
  );
  for (const event of events) {
    const { runId, runSeq, persistedAt, eventType, stepId = "", logicalAttemptId, engineAttemptId, eventData } = event;
    if (!broken.some(({ message }) => message.startsWith(`${runId}: `))) continue;
    console.log(
      runId,
      runSeq,
      persistedAt,
      eventType,
      stepId,
      logicalAttemptId,
      engineAttemptId,
      JSON.stringify(eventData),
    );
  }
  expect(broken).toEqual([]);
  expect(of("RunTakenOver")).toBeGreaterThan(0);
  if (expectsRefused) expect(refused.length).toBeGreaterThan(0);
}
