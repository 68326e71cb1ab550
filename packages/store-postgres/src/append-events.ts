/** The ways to append: the fast one first, the one that knows about duplicates and refusals where it must be. */
import { RunledgerError } from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { appendFast } from "./append-fast.js";
import { appendSlow } from "./append-slow.js";
import type { Database } from "./client.js";
import { tookItselfBack } from "./errors.js";
import { applyEffects, hasEffects } from "./queue-effects.js";

export async function appendBatch(db: Database, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  const withEffects = new Set(parts.filter(hasEffects).map(({ runId }) => runId));
  if (withEffects.size === 0) return appendPlain(db, parts);
  const [effective, plain] = [
    parts.filter(({ runId }) => withEffects.has(runId)),
    parts.filter(({ runId }) => !withEffects.has(runId)),
  ];
  const outcomes = new Map<RunAppend, RunOutcome>();
  const note = (group: readonly RunAppend[], results: readonly RunOutcome[]): void =>
    group.forEach((part, index) => outcomes.set(part, results[index]!));
  note(effective, await appendWithEffects(db, effective));
  if (plain.length > 0) note(plain, await appendPlain(db, plain));
  return parts.map((part) => outcomes.get(part)!);
}

async function appendPlain(db: Database, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  const fast = await appendFast(db, parts).catch((error: unknown) => {
    if (tookItselfBack(error)) return null;
    throw error;
  });
  const slow = (refused: readonly RunAppend[]): Promise<readonly RunOutcome[]> =>
    appendSlow((statement, values) => db.write(statement, values), refused);
  if (fast === null) return slow(parts);
  const refused = parts.filter((_, index) => fast[index] === null);
  if (refused.length === 0) return fast as readonly RunOutcome[];
  const explained = await slow(refused);
  let next = 0;
  return fast.map((results) => results ?? explained[next++]!);
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
