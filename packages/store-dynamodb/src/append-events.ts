/**
 * The append authority (P2): one transaction per run writes head, events, keys, the change for the feed and all effects, or
 * nothing. It requires the head on which the decision was made. If the transaction is cancelled, its reasons tell the new
 * head and the keys that are stored already, and the append decides again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  RetryError,
  RunArchivedError,
  RunledgerError,
  RunNotFoundError,
  SeqMismatchError,
  StaleLeaseError,
} from "@runledger/contracts";
import { isFencedOff, verdictRefusal, type RunAppend, type RunOutcome } from "@runledger/core/store";
import { factsOf, newEvents, readFacts, resultsOf, settleDoubts, type Facts } from "./append-facts.js";
import { appendLarge } from "./append-large.js";
import { sizeRefusal } from "./append-limits.js";
import { learn, planAppend, type Rider } from "./append-transaction.js";
import type { Db } from "./db.js";
import { Cancelled } from "./errors.js";
import { readRange } from "./fetch-events.js";
import { isVisible, type HeadItem } from "./heads.js";
import type { Place } from "./lanes.js";

export type { Rider } from "./append-transaction.js";

/** More than enough for a hot run; each attempt has lost to one that succeeded. */
const ATTEMPTS = 100;

export async function appendRun(db: Db, part: RunAppend, rider?: Rider): Promise<RunOutcome> {
  const refusal = sizeRefusal(part);
  if (refusal !== null) return rider === undefined ? refusal : appendLarge(db, part, rider);
  let facts = firstFacts(db, part) ?? (await readFacts(db, part));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await settleDoubts(db, part.runId, facts);
    const outcome = await decide(db, part, facts);
    if (outcome !== null && !facts.areRead) {
      facts = await readFacts(db, part); // another process may have changed the outcome
      continue;
    }
    if (outcome !== null) return outcome;
    const written = await db.lanes.withPlace((place) => attemptAppend({ db, part, facts, place, rider }));
    if (written !== null) return written;
    if (attempt > 2) await sleep(Math.random() * 5 * Math.min(attempt, 20));
  }
  return new RetryError("STORE_BUSY", `Run ${part.runId} is written by many at once. Nothing was written. Try again.`);
}

/** Assumes the head that this process saw last. If it has changed, the transaction is cancelled. */
function firstFacts({ heads }: Db, part: RunAppend): Facts | null {
  const head = heads.get(part.runId);
  return head === undefined ? null : factsOf(head);
}

/** Returns the outcome if nothing is to be written, otherwise `null`. */
async function decide(db: Db, part: RunAppend, facts: Facts): Promise<RunOutcome | null> {
  const { head } = facts;
  if (head === null) return part.mustExist ? new RunNotFoundError(part.runId) : null;
  if (!isVisible(head, part.scoped ? part.tenantId : undefined)) return new RunNotFoundError(part.runId);
  if (newEvents(facts, part.events).length === 0) return resultsOf(facts, part.events, new Map()); // regardless of the conditions
  return refusalOf(db, head, part);
}

async function refusalOf(db: Db, head: HeadItem, part: RunAppend): Promise<RunledgerError | null> {
  const { runId, headSeq, leaseEpoch } = head;
  const { expectedSeq, judgedAt, fence } = part;
  if (head.archived) return new RunArchivedError(runId);
  if (isFencedOff(part, leaseEpoch)) return new StaleLeaseError(runId, fence, leaseEpoch); // P4
  if (expectedSeq !== null && expectedSeq !== headSeq) return new SeqMismatchError(runId, expectedSeq, headSeq); // P3
  if (judgedAt === null) return null;
  const later = await readRange(db.client, { runId, afterSeq: judgedAt.seq, toSeq: headSeq });
  const persistedAt = Math.max(head.persistedAt, db.client.clock.now());
  return verdictRefusal(judgedAt, { runId, headSeq, later, persistedAt }); // G1
}

interface Attempt {
  readonly db: Db;
  readonly part: RunAppend;
  readonly facts: Facts;
  readonly place: Place;
  readonly rider: Rider | undefined;
}

/** Returns `null` if the transaction was cancelled. `facts` then has the reasons. */
async function attemptAppend({ db, part, facts, place, rider }: Attempt): Promise<RunOutcome | null> {
  const planned = await planAppend({ db, part, facts, place, rider });
  try {
    await db.client.transact(planned.actions);
  } catch (error) {
    db.heads.delete(part.runId);
    if (!(error instanceof Cancelled)) {
      place.lost(null); // it may be taken
      if (error instanceof RunledgerError) return error;
      throw error;
    }
    learn(facts, place, planned, error);
    return null;
  }
  place.taken();
  db.heads.set(part.runId, planned.head);
  return resultsOf(facts, part.events, planned.written);
}
