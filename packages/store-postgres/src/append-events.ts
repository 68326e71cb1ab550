/**
 * Chooses how to append. The fast append does not look for duplicates. A batch that contains one is rolled back and
 * sent again through the slow append, which finds duplicates and reports why a run was refused. A run that is queued
 * again also takes the slow append: that is rare, and a repeated call must not queue it twice. So does a signal that may
 * exceed the limit, which only the store's clock can decide (P9).
 *
 * The slow append costs about twice as much as the fast one. So the fast append comes first while fewer than half of
 * the latest batches were rolled back. It is skipped while more are, as when a writer repeats what it sent before a
 * crash.
 */
import { RunledgerError } from "@runledger/contracts";
import type { RunAppend, RunOutcome, SendBatch } from "@runledger/core/store";
import { appendFast } from "./append-fast.js";
import { appendSlow } from "./append-slow.js";
import type { Database } from "./client.js";
import { wasRolledBack } from "./errors.js";
import { applyEffects, hasEffects } from "./queue-effects.js";

const TOO_MANY = 0.5;
/** The weight of the latest batch against all earlier ones. About ten batches decide. */
const WEIGHT = 0.1;

export function batchAppender(db: Database): SendBatch {
  let rolledBackShare = 0;
  const record = (rolledBack: boolean): void =>
    void (rolledBackShare += WEIGHT * (Number(rolledBack) - rolledBackShare));

  const slowly = async (parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> => {
    const outcomes = await appendSlowly(db, parts);
    record(outcomes.some(needsSlowAppend));
    return outcomes;
  };

  return async (parts) => {
    if (rolledBackShare > TOO_MANY || parts.some(isRare)) return slowly(parts);
    const fast = await appendFast(db, parts).catch((error: unknown) => {
      if (wasRolledBack(error)) return null;
      throw error;
    });
    if (fast === null) return slowly(parts);
    record(false);
    return explained(db, parts, fast);
  };
}

function isRare({ enqueues, judgedAt }: RunAppend): boolean {
  return enqueues !== null || judgedAt?.notBefore !== undefined;
}

/**
 * Returns `true` for outcomes that the fast append cannot produce: a repeated key, and a run that must exist but does
 * not.
 */
function needsSlowAppend(outcome: RunOutcome): boolean {
  if (outcome instanceof RunledgerError) return outcome.code === "RUN_NOT_FOUND";
  return outcome.some(({ idempotent }) => idempotent);
}

/**
 * Sends runs that the fast append refused through the slow one, which reports why. Nothing of them is stored yet. The
 * other runs are stored, so a failure here must not change their outcomes.
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

/** Needs a transaction only if it also changes the queue. */
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

/** A repeated call must not repeat its effects on the queue: the run may have been reopened since it finished. */
function wrote(outcome: RunOutcome): boolean {
  return !(outcome instanceof RunledgerError) && outcome.some(({ persisted }) => persisted);
}
