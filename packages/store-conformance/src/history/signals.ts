/** Checks the verdicts on signals: one per id, none accepted after the end, at most sixty within a minute (G1, P9). */
import { readEventData, type CanonicalEngineEvent } from "@runledger/contracts";
import type { RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

const ENDS = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);
const PER_MINUTE = 60;

export function checkSignals({ rows }: RunFacts, report: Report): void {
  const events = rows.map(({ event }) => event);
  checkOneVerdict(events, report);
  checkAfterEnd(events, report);
  checkRate(events.filter(isUserSignal), report);
}

function checkOneVerdict(events: readonly CanonicalEngineEvent[], report: Report): void {
  const verdicts = new Map<string | undefined, CanonicalEngineEvent>();
  for (const event of events.filter(isVerdict)) {
    const first = verdicts.get(event.logicalAttemptId) ?? event;
    verdicts.set(event.logicalAttemptId, first);
    if (first === event) continue;
    const message = `signal ${event.logicalAttemptId} has two verdicts: ${first.eventType} at seq ${first.runSeq} and ${event.eventType} at ${event.runSeq}.`;
    report({ invariant: "one-verdict-per-signal", seq: event.runSeq, message });
  }
}

function checkAfterEnd(events: readonly CanonicalEngineEvent[], report: Report): void {
  let end: CanonicalEngineEvent | null = null;
  for (const event of events) {
    if (ENDS.has(event.eventType)) end ??= event;
    if (event.eventType === "RunReopened") end = null;
    if (end === null || event.eventType !== "SignalAccepted" || !isUserSignal(event)) continue;
    const message = `signal ${event.logicalAttemptId} was accepted at seq ${event.runSeq}, after ${end.eventType} at seq ${end.runSeq}.`;
    report({ invariant: "no-signal-after-the-end", seq: event.runSeq, message });
  }
}

function checkRate(signals: readonly CanonicalEngineEvent[], report: Report): void {
  signals.slice(PER_MINUTE).forEach((event, index) => {
    const before = signals[index]!;
    if (Date.parse(event.persistedAt!) - Date.parse(before.persistedAt!) >= 60_000) return;
    const message = `seq ${before.runSeq} to ${event.runSeq} hold more than ${PER_MINUTE} signals within a minute of the store's clock.`;
    report({ invariant: "signals-per-minute", seq: event.runSeq, message });
  });
}

function isVerdict({ eventType }: CanonicalEngineEvent): boolean {
  return eventType === "SignalAccepted" || eventType === "SignalRejected";
}

function isUserSignal(event: CanonicalEngineEvent): boolean {
  return isVerdict(event) && readEventData("SignalAccepted", event.eventData).namespace === "signal";
}
