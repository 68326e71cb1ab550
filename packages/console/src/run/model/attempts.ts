/** Derives the attempts of a step from its events. */
import type { CanonicalEngineEvent, StepRow } from "@runledger/contracts";

/** `lost`: a later attempt started, and no event recorded the end of this one. */
type Outcome = "running" | "done" | "failed" | "skipped" | "lost";

export interface AttemptSpan {
  readonly number: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** `null` while the attempt is running. */
  readonly to: number | null;
  readonly outcome: Outcome;
}

interface Mark {
  readonly seq: number;
  readonly type: string;
  readonly attempt: string;
  readonly at: number;
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  StepCompleted: "done",
  StepFailed: "failed",
  StepSkipped: "skipped",
};

export class Attempts {
  readonly #marks = new Map<string, Mark[]>();

  add(events: Iterable<CanonicalEngineEvent>): void {
    for (const { stepId, eventType, runSeq, logicalAttemptId = "1", emittedAt } of events) {
      if (stepId === undefined || (eventType !== "StepStarted" && OUTCOMES[eventType] === undefined)) continue;
      const mark = { seq: runSeq, type: eventType, attempt: logicalAttemptId, at: Date.parse(emittedAt) };
      const known = this.#marks.get(stepId);
      if (known === undefined) this.#marks.set(stepId, [mark]);
      else known.push(mark);
    }
  }

  /** Returns the attempts of a step as of a seq. */
  of(stepId: string, seq: number): readonly AttemptSpan[] {
    const attempts = new Map<string, AttemptSpan>();
    for (const mark of this.#marks.get(stepId) ?? []) {
      if (mark.seq > seq) break;
      attempts.set(mark.attempt, after(attempts.get(mark.attempt), mark));
    }
    const all = [...attempts.values()];
    return all.map((one, index) => (one.to === null && index < all.length - 1 ? lost(one, all[index + 1]!) : one));
  }
}

function after(known: AttemptSpan | undefined, { type, attempt, at }: Mark): AttemptSpan {
  const outcome = OUTCOMES[type];
  if (outcome === undefined) return known ?? { number: attempt, from: at, to: null, outcome: "running" };
  if (known !== undefined && known.to !== null) return known; // the first end wins (F2)
  return { number: attempt, from: known?.from ?? at, to: at, outcome };
}

function lost(one: AttemptSpan, next: AttemptSpan): AttemptSpan {
  return { ...one, to: next.from, outcome: "lost" };
}

/** Returns the current attempt from the row of a step, until its events are loaded. */
export function currentAttempt({ logicalAttemptId, startedAt, completedAt, status }: StepRow): readonly AttemptSpan[] {
  const from = startedAt ?? completedAt;
  if (from === undefined) return [];
  const to = completedAt === undefined ? null : Date.parse(completedAt);
  const outcome = to === null ? "running" : status === "SUCCESS" ? "done" : status === "FAILED" ? "failed" : "skipped";
  return [{ number: logicalAttemptId, from: Date.parse(from), to, outcome }];
}
