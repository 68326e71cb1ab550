/** What became of each try of a step, from the events that say so. */
import type { CanonicalEngineEvent, StepRow } from "@runledger/contracts";

/** `lost`: a later attempt began although nobody has said how this one ended. */
type Outcome = "running" | "done" | "failed" | "skipped" | "lost";

export interface Attempt {
  readonly number: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Null = it goes on. */
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

  /** As they were known at a seq. */
  of(stepId: string, seq: number): readonly Attempt[] {
    const tries = new Map<string, Attempt>();
    for (const mark of this.#marks.get(stepId) ?? []) {
      if (mark.seq > seq) break;
      tries.set(mark.attempt, after(tries.get(mark.attempt), mark));
    }
    const all = [...tries.values()];
    return all.map((one, index) => (one.to === null && index < all.length - 1 ? lost(one, all[index + 1]!) : one));
  }
}

function after(known: Attempt | undefined, { type, attempt, at }: Mark): Attempt {
  const outcome = OUTCOMES[type];
  if (outcome === undefined) return known ?? { number: attempt, from: at, to: null, outcome: "running" };
  if (known !== undefined && known.to !== null) return known; // the first end counts (F2)
  return { number: attempt, from: known?.from ?? at, to: at, outcome };
}

function lost(one: Attempt, next: Attempt): Attempt {
  return { ...one, to: next.from, outcome: "lost" };
}

/** What a step's own row says of its current attempt: all there is until its events are here. */
export function currentAttempt({ logicalAttemptId, startedAt, completedAt, status }: StepRow): readonly Attempt[] {
  const from = startedAt ?? completedAt;
  if (from === undefined) return [];
  const to = completedAt === undefined ? null : Date.parse(completedAt);
  const outcome = to === null ? "running" : status === "SUCCESS" ? "done" : status === "FAILED" ? "failed" : "skipped";
  return [{ number: logicalAttemptId, from: Date.parse(from), to, outcome }];
}
