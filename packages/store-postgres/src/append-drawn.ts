/**
 * Appends for an authority that draws numbers before it stores the events (P10). The number decides the place of an event,
 * and the lock of the head decides whether it may still take it. Events become visible out of order, and a number whose
 * holder is lost stays missing until it is settled.
 *
 * Nothing is drawn for events that are stored already, or for a run that will probably be refused: each unused number is a
 * gap that delays readers. A number that was settled or taken in the meantime is replaced.
 */
import { RetryError, RunledgerError, type AppendResult } from "@runledger/contracts";
import type { RunAppend, RunOutcome, SendBatch } from "@runledger/core/store";
import { appendNumbered, wasTaken } from "./append-slow.js";
import type { Database } from "./client.js";
import { expectNumbers, type ExpectedNumbers } from "./expect-numbers.js";
import { applyEffects, hasEffects } from "./queue-effects.js";

export interface NumbersToDraw {
  readonly runId: string;
  /** The head of the run. Numbers up to it are not drawn again. */
  readonly headSeq: number;
  readonly count: number;
}

/** Draws numbers. No number is drawn twice, and later ones are higher, unless the source has lost its memory. */
export interface NumberSource {
  /** Returns the numbers of each run, ascending. Throws a retryable error if the source is unavailable. */
  draw(runs: readonly NumbersToDraw[]): Promise<readonly (readonly number[])[]>;
  /** One bounded step of the removal of what finished runs have left. Absent if nothing is left. */
  clean?(): Promise<unknown>;
  close(): Promise<void>;
}

/** Called between drawing and storing: a test lets others go first. */
export type Hold = (numbers: readonly (number | null)[]) => Promise<void> | void;

/** Every try but the first has lost its numbers to a reader that settled them, or to a source that lost its memory. */
const TRIES = 5;

export function drawnAppender(db: Database, source: NumberSource, hold: Hold = () => {}): SendBatch {
  const attempt = async (parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> => {
    const numbers = await drawFor(source, await expectNumbers(db, parts));
    await hold(numbers);
    return appendWith(db, parts, numbers);
  };
  return async (parts) => {
    const outcomes = [...(await attempt(parts))];
    for (let tries = 1; tries < TRIES; tries++) {
      const left = [...outcomes.keys()].filter((index) => wasTaken(outcomes[index]!));
      if (left.length === 0) break;
      const again = await attempt(left.map((index) => parts[index]!)).catch(forAll(left.length));
      left.forEach((index, place) => (outcomes[index] = again[place]!));
    }
    return outcomes.map((outcome, index) => (wasTaken(outcome) ? givenUp(parts[index]!.runId) : outcome));
  };
}

/** The other parts of the batch are stored, so an error of these must not become theirs. */
function forAll(count: number): (error: unknown) => readonly RunOutcome[] {
  return (error) => {
    if (!(error instanceof RunledgerError)) throw error;
    return Array.from({ length: count }, () => error);
  };
}

function givenUp(runId: string): RunledgerError {
  return new RetryError("STORE_BUSY", `Numbers drawn for run ${runId} were given up in the meantime. Append again.`);
}

/** Returns a number per event, in the order of the parts; `null` for an event that needs none. */
async function drawFor(source: NumberSource, expected: ExpectedNumbers): Promise<readonly (number | null)[]> {
  const { runs, runOfEvent } = expected;
  const drawn = runs.length === 0 ? [] : await source.draw(runs);
  const next = drawn.map((numbers) => numbers.values());
  return runOfEvent.map((run) => (run === null ? null : next[run]!.next().value!));
}

/** Needs a transaction only if it also changes the queue. */
function appendWith(
  db: Database,
  parts: readonly RunAppend[],
  numbers: readonly (number | null)[],
): Promise<readonly RunOutcome[]> {
  if (!parts.some(hasEffects))
    return appendNumbered((statement, values) => db.write(statement, values), parts, numbers);
  return db.transaction(async (session) => {
    const outcomes = await appendNumbered(session.run, parts, numbers);
    await applyEffects(
      session,
      parts.filter((_, index) => wrote(outcomes[index]!)),
    );
    return outcomes;
  });
}

function wrote(outcome: RunOutcome): outcome is readonly AppendResult[] {
  return !(outcome instanceof RunledgerError) && outcome.some(({ persisted }) => persisted);
}
