/** Appends a batch: one transaction in one request. */
import type { RunAppend, SendBatch } from "@runledger/core/store";
import { toOutcomes } from "./append-results.js";
import { appendAnswer, appendCalls } from "./append-slow.js";
import type { Database, Row } from "./client.js";
import type { Shape } from "./connection-url.js";
import { wasRolledBack } from "./errors.js";

export function batchAppender(db: Database, shape: Shape): SendBatch {
  return async (parts) => toOutcomes(parts, await send(db, parts, shape));
}

/** Retries once if another writer created the same head: nothing is stored, and the head exists now. */
function send(db: Database, parts: readonly RunAppend[], shape: Shape): Promise<Row[]> {
  const once = (): Promise<Row[]> => db.transaction(appendCalls(parts, shape), appendAnswer);
  return once().catch((error: unknown) => {
    if (wasRolledBack(error)) return once();
    throw error;
  });
}
