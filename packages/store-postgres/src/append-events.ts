/** Both ways to append: the fast one first, the one that knows about duplicates and refusals where it must be. */
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { appendFast } from "./append-fast.js";
import { appendSlow } from "./append-slow.js";
import type { Database } from "./client.js";
import { tookItselfBack } from "./errors.js";

export async function appendBatch(db: Database, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  const fast = await appendFast(db, parts).catch((error: unknown) => {
    if (tookItselfBack(error)) return null;
    throw error;
  });
  if (fast === null) return appendSlow(db, parts);
  const refused = parts.filter((_, index) => fast[index] === null);
  if (refused.length === 0) return fast as readonly RunOutcome[];
  const explained = await appendSlow(db, refused);
  let next = 0;
  return fast.map((results) => results ?? explained[next++]!);
}
