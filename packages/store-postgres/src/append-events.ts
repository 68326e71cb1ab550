/**
 * The ways to append. The fast one knows nothing of duplicates: a batch that holds one is taken back and sent again the
 * slow way, which finds them and can say why a run was refused. What also touches the queue goes the slow way, in a
 * transaction with its effects.
 *
 * The slow append costs about twice the fast one. So the fast one is tried first for as long as fewer than half of the
 * latest batches had to be taken back, and not while more do, as when a writer repeats what it sent before a crash.
 */
import { RunledgerError } from "@runledger/contracts";
import type { RunAppend, RunOutcome, SendBatch } from "@runledger/core/store";
import { appendFast } from "./append-fast.js";
import { appendSlow } from "./append-slow.js";
import type { Database, Session } from "./client.js";
import { tookItselfBack } from "./errors.js";
import { applyEffects, hasEffects } from "./queue-effects.js";

const TOO_MANY = 0.5;
/** How much the latest batch counts against all before it: about the last ten decide. */
const WEIGHT = 0.1;

export function batchAppender(db: Database): SendBatch {
  const appendPlain = plainAppender(db);
  return async (parts) => {
    const withEffects = new Set(parts.filter(hasEffects).map(({ runId }) => runId));
    if (withEffects.size === 0) return appendPlain(parts);
    const effective = parts.filter(({ runId }) => withEffects.has(runId)); // all of a run's, so that they keep their order
    const plain = parts.filter(({ runId }) => !withEffects.has(runId));
    const outcomes = new Map<RunAppend, RunOutcome>();
    const note = (group: readonly RunAppend[], results: readonly RunOutcome[]): void =>
      group.forEach((part, index) => outcomes.set(part, results[index]!));
    note(effective, await appendWithEffects(db, effective));
    if (plain.length > 0) note(plain, await appendPlain(plain));
    return parts.map((part) => outcomes.get(part)!);
  };
}

function plainAppender(db: Database): SendBatch {
  let takenBack = 0;
  const note = (repeated: boolean): void => void (takenBack += WEIGHT * (Number(repeated) - takenBack));
  const write: Session["run"] = (statement, values) => db.write(statement, values);

  const slowly = async (parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> => {
    const outcomes = await appendSlow(write, parts);
    note(outcomes.some(wouldBeTakenBack));
    return outcomes;
  };

  return async (parts) => {
    if (takenBack > TOO_MANY) return slowly(parts);
    const fast = await appendFast(db, parts).catch((error: unknown) => {
      if (tookItselfBack(error)) return null;
      throw error;
    });
    if (fast === null) return slowly(parts);
    note(false);
    return explained(write, parts, fast);
  };
}

/** What the fast append cannot do: answer a repeated key, and leave out a run that must exist and does not. */
function wouldBeTakenBack(outcome: RunOutcome): boolean {
  if (outcome instanceof RunledgerError) return outcome.code === "RUN_NOT_FOUND";
  return outcome.some(({ idempotent }) => idempotent);
}

/** Runs that the fast append refused are asked about the slow way: nothing of them is stored yet. */
async function explained(
  write: Session["run"],
  parts: readonly RunAppend[],
  fast: readonly (RunOutcome | null)[],
): Promise<readonly RunOutcome[]> {
  const refused = parts.filter((_, index) => fast[index] === null);
  if (refused.length === 0) return fast as readonly RunOutcome[];
  const reasons = await appendSlow(write, refused);
  let next = 0;
  return fast.map((outcome) => outcome ?? reasons[next++]!);
}

function appendWithEffects(db: Database, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
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
