/**
 * Erases the payloads of a finished run (A6). A transaction holds 100 items, so a long run is erased in several; the call is
 * repeated after a crash and continues. Each transaction requires the head, so that the run is not reopened meanwhile.
 */
import {
  ERASED_HASH,
  eraseEventData,
  RetryError,
  type CanonicalEngineEvent,
  type ErasedBy,
  type EraseOutcome,
  type EraseRequest,
} from "@runledger/contracts";
import { isTerminal, toRunHeader } from "@runledger/core";
import type { WriteAction } from "./actions.js";
import { deleteArtifacts } from "./artifacts.js";
import { iso } from "./clock.js";
import { equals } from "./conditions.js";
import type { Db } from "./db.js";
import { replaceProjection } from "./derived-data.js";
import { eraseDeliveries } from "./deliveries.js";
import { Cancelled } from "./errors.js";
import { hashOf } from "./event-items.js";
import { readRange } from "./fetch-events.js";
import { foldRun } from "./fold-run.js";
import { readHead, type HeadItem } from "./heads.js";
import { putParts } from "./parts.js";
import { readHeader } from "./snapshots.js";
import { eraseStartHash } from "./start-keys.js";
import { checkpointKey, eventKey, headKey } from "./table.js";

const PAGE = 40;

export async function eraseRun(db: Db, { runId, by, reason }: EraseRequest): Promise<EraseOutcome> {
  const head = await readHead(db.client, runId);
  if (head === null) return { runId, erased: false, reason: "absent" };
  const before = await foldRun(db, head);
  if (before === null) return { runId, erased: false, reason: "damaged" };
  if (!isTerminal(before.status)) return { runId, erased: false, reason: "not-finished" };
  const events = await eraseEvents(db, head, { at: iso(db.client.clock.now()), by, reason });
  await eraseCopies(db, head);
  await showErased(db, head);
  return { runId, erased: true, events };
}

const isSame = ({ runId, headSeq }: HeadItem): WriteAction => ({
  kind: "check",
  key: headKey(runId),
  when: equals({ headSeq }),
});

async function eraseEvents(db: Db, head: HeadItem, erased: ErasedBy): Promise<number> {
  const { runId, headSeq } = head;
  let count = 0;
  for (let seq = 0; seq < headSeq;) {
    const page = await readRange(db.client, { runId, afterSeq: seq, toSeq: headSeq, limit: PAGE, maxBytes: 2_000_000 });
    const changed = page.flatMap((event) => {
      const eventData = eraseEventData(event, erased);
      return eventData === null ? [] : [{ ...event, eventData }];
    });
    if (changed.length > 0) await committed(db, [isSame(head), ...changed.flatMap(putErased)]);
    count += changed.length;
    seq = page.at(-1)!.runSeq;
  }
  return count;
}

/** The item gets the hash of what is left. */
function putErased(event: CanonicalEngineEvent): WriteAction[] {
  const d = JSON.stringify(event);
  return putParts({ ...eventKey(event.runId, event.runSeq), hash: hashOf(d), erased: true }, d);
}

async function committed(db: Db, actions: readonly WriteAction[]): Promise<void> {
  try {
    await db.client.transact(actions);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    throw new RetryError("STORE_BUSY", "The run changed while it was erased. Erase it again.");
  }
}

async function eraseCopies(db: Db, head: HeadItem): Promise<void> {
  const { runId, tenantId } = head;
  await committed(db, [
    { kind: "update", key: headKey(runId), set: { cpSeq: null }, when: equals({ headSeq: head.headSeq }) },
    { kind: "delete", key: checkpointKey(runId) },
  ]);
  db.heads.delete(runId);
  await deleteArtifacts(db.client, runId);
  await eraseStartHash(db.client, runId, ERASED_HASH);
  await eraseDeliveries(db.client, tenantId, runId);
}

/** Replaces a stored projection by the fold of what is left, unless it shows that already. */
async function showErased(db: Db, head: HeadItem): Promise<void> {
  const [stored, state] = [await readHeader(db.client, head.runId), await foldRun(db, head)];
  if (stored === null || state === null) return;
  const header = toRunHeader(state);
  if (JSON.stringify(stored.header.erased) === JSON.stringify(header.erased) && header.erased !== undefined) return;
  await replaceProjection(db, { header, steps: state.steps.rows(), keyframes: [] });
}
