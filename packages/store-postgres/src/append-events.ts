/**
 * Both ways to append. The fast one knows nothing of duplicates: a batch that holds one is taken back and sent again
 * the slow way, which finds them and can say why a run was refused.
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

const TOO_MANY = 0.5;
/** How much the latest batch counts against all before it: about the last ten decide. */
const WEIGHT = 0.1;

export function batchAppender(db: Database): SendBatch {
  let takenBack = 0;
  const note = (repeated: boolean): void => void (takenBack += WEIGHT * (Number(repeated) - takenBack));

  const slowly = async (parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> => {
    const outcomes = await appendSlow(db, parts);
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
    return explained(db, parts, fast);
  };
}

/** What the fast append cannot do: answer a repeated key, and leave out a run that must exist and does not. */
function wouldBeTakenBack(outcome: RunOutcome): boolean {
  if (outcome instanceof RunledgerError) return outcome.code === "RUN_NOT_FOUND";
  return outcome.some(({ idempotent }) => idempotent);
}

/** Runs that the fast append refused are asked about the slow way: nothing of them is stored yet. */
async function explained(
  db: Database,
  parts: readonly RunAppend[],
  fast: readonly (RunOutcome | null)[],
): Promise<readonly RunOutcome[]> {
  const refused = parts.filter((_, index) => fast[index] === null);
  if (refused.length === 0) return fast as readonly RunOutcome[];
  const reasons = await appendSlow(db, refused);
  let next = 0;
  return fast.map((outcome) => outcome ?? reasons[next++]!);
}
