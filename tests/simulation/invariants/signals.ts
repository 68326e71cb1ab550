/** Signals: each goes to one wait, oldest first, and none is skipped (G1). */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { dataOf, livesOf, RUN_ENDS, type Judge, type Story } from "./story.js";

interface Sent {
  readonly id: string;
  readonly name: string;
  readonly seq: number;
}

export const firstInFirstOut: Judge = (story, report) => {
  const sent = sentTo(story);
  const taken = new Set<string>();
  for (const event of story.events) {
    const { signalId } = dataOf(event);
    if (event.eventType !== "StepCompleted" || typeof signalId !== "string") continue;
    const signal = sent.find(({ id }) => id === signalId);
    if (signal === undefined || signal.seq > event.runSeq) report("signal-was-sent", `${signalId} at ${event.runSeq}`);
    else {
      if (taken.has(signalId)) report("signal-is-taken-once", `${signalId} at ${event.runSeq}`);
      const older = sent.find(({ id, name, seq }) => name === signal.name && seq < signal.seq && !taken.has(id));
      if (older !== undefined) report("first-in-first-out", `${signalId} was taken before ${older.id}`);
    }
    taken.add(signalId);
  }
};

/** A wait times out only if no signal for it was recorded: the appender has seen all earlier ones (O2). */
export const noSignalIsPassedOver: Judge = (story, report) => {
  const sent = sentTo(story);
  const takenBy = new Map<string, CanonicalEngineEvent>();
  for (const event of story.events) {
    const { signalId } = dataOf(event);
    if (event.eventType === "StepCompleted" && typeof signalId === "string") takenBy.set(signalId, event);
  }
  for (const attempts of story.attempts.values()) {
    for (const { step, stepId, start, end } of attempts) {
      if (step.kind !== "wait" || start === null || end === null || !isTimeout(end)) continue;
      const missed = sent.find(({ id, name, seq }) => {
        const taken = takenBy.get(id);
        const wasThere =
          taken === undefined || (taken.runSeq > end.runSeq && story.appendOf(taken) !== story.appendOf(end));
        return name === step.signal && seq < end.runSeq && wasThere;
      });
      if (missed === undefined) continue;
      report("no-signal-is-passed-over", `${stepId} timed out at ${end.runSeq} in spite of ${missed.id}`);
    }
  }
};

function isTimeout(end: CanonicalEngineEvent): boolean {
  const { error, signalId } = dataOf(end) as { error?: { code: string }; signalId?: string };
  return error?.code === "TIMEOUT" || (end.eventType === "StepCompleted" && signalId === undefined);
}

/** Events after a run's end are recorded and change nothing (F3). */
function sentTo(story: Story): readonly Sent[] {
  const alive = livesOf(story).flatMap((life) => {
    const end = life.findIndex(({ eventType }) => RUN_ENDS.has(eventType));
    return end < 0 ? life : life.slice(0, end);
  });
  return alive.flatMap((event) => {
    const { namespace, name } = dataOf(event);
    if (event.eventType !== "SignalAccepted" || namespace !== "signal") return [];
    return [{ id: event.logicalAttemptId!, name: name as string, seq: event.runSeq }];
  });
}
