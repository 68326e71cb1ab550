/** Appends a batch: one transaction in one request. */
import type { RunAppend, SendBatch } from "@runledger/core/store";
import { toOutcomes } from "./append-results.js";
import { appendAnswer, appendCalls } from "./append-slow.js";
import type { Row } from "./client.js";
import { wasRolledBack } from "./errors.js";
import type { Write } from "./locked-writes.js";

export function batchAppender(write: Write): SendBatch {
  return async (parts) => toOutcomes(parts, await send(write, parts));
}

/** Retries once if another writer created the same head: nothing is stored, and the head exists now. */
function send(write: Write, parts: readonly RunAppend[]): Promise<Row[]> {
  const once = (): Promise<Row[]> => write(appendCalls(parts), appendAnswer);
  return once().catch((error: unknown) => {
    if (wasRolledBack(error)) return once();
    throw error;
  });
}
