/**
 * The ways to append. The fast one knows nothing of duplicates: a batch that holds one is taken back and sent again the
 * slow way, which finds them and can say why a run was refused. A run that begins again goes the slow way too: it is
 * rare, and a repeated call must not queue it once more.
 *
 * The slow append costs about twice the fast one. So the fast one is tried first for as long as fewer than half of the
 * latest batches had to be taken back, and not while more do, as when a writer repeats what it sent before a crash.
 */
import { RunledgerError } from "@runledger/contracts";
import type { RunAppend, RunOutcome, SendBatch } from "@runledger/core/store";
import { appendFast } from "./append-fast.js";
import { appendSlow } from "./append-slow.js";
import type { Database } from "./client.js";
import { tookItselfBack } from "./errors.js";
import { applyEffects, hasEffects } from "./queue-effects.js";

const TOO_MANY = 0.5;
/** How much the latest batch counts against all before it: about the last ten decide. */
const WEIGHT = 0.1;

export function batchAppender(db: Database): SendBatch {
  let takenBack = 0;
  const note = (repeated: boolean): void => void (takenBack += WEIGHT * (Number(repeated) - takenBack));

  const slowly = async (parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> => {
    const outcomes = await appendSlowly(db, parts);
    note(outcomes.some(wouldBeTakenBack));
    return outcomes;
  };

  return async (parts) => {
    if (takenBack > TOO_MANY || parts.some(({ enqueues }) => enqueues !== null)) return slowly(parts);
    const fast = await appendFast(db, parts).catch((error: unknown) => {
      if (tookItselfBack(error)) return null;
      throw error;
    });
    if (fast === null) return slowly(parts);
    note(false);
    return explained(db, parts, fast);
  };
}

/** What the fast append cannot do: answer a repeated key, and leave out a run that must exist and does not. */
function wouldBeTakenBack(outcome: RunOutcome): boolean {
  if (outcome instanceof RunledgerError) return outcome.code === "RUN_NOT_FOUND";
  return outcome.some(({ idempotent }) => idempotent);
}

/**
 * Runs that the fast append refused are asked about the slow way: nothing of them is stored yet. The others are: whatever
 * becomes of the question is no answer to them.
 */
async function explained(
  db: Database,
  parts: readonly RunAppend[],
  fast: readonly (RunOutcome | null)[],
): Promise<readonly RunOutcome[]> {
  const refused = parts.filter((_, index) => fast[index] === null);
  if (refused.length === 0) return fast as readonly RunOutcome[];
  const reasons = await appendSlowly(db, refused).catch((error: unknown) => {
    if (!(error instanceof RunledgerError)) throw error;
    return refused.map(() => error);
  });
  let next = 0;
  return fast.map((outcome) => outcome ?? reasons[next++]!);
}

/** In a transaction of its own only where it also touches the queue. */
function appendSlowly(db: Database, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  if (!parts.some(hasEffects)) return appendSlow((statement, values) => db.write(statement, values), parts);
  return db.transaction(async (session) => {
    const outcomes = await appendSlow(session.run, parts);
    await applyEffects(
      session,
      parts.filter((_, index) => wrote(outcomes[index]!)),
    );
    return outcomes;
  });
}

/** A repeated call has had its effects, and must not have them again: the run may have been reopened since it ended. */
function wrote(outcome: RunOutcome): boolean {
  return !(outcome instanceof RunledgerError) && outcome.some(({ persisted }) => persisted);
}
