/**
 * More events than one transaction holds, for copies and forks. They are first written above the head, where they do not exist
 * for readers, and the head then moves over all of them at once. Each write requires the head and the importer's token, so
 * that neither an append nor another importer can mix with them.
 */
import { randomUUID } from "node:crypto";
import { RetryError, type CheckedEvent } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import { absent, equals, type Condition } from "./conditions.js";
import type { Db } from "./db.js";
import { Cancelled } from "./errors.js";
import { putEvent, putEventKey, type NumberedEvent } from "./event-items.js";
import type { HeadItem } from "./heads.js";
import { headKey, runPartition, type Key } from "./table.js";

const importKey = (runId: string): Key => ({ pk: runPartition(runId), sk: "IMPORT" });

/** Leaves room for the two checks. */
const MOST_ACTIONS = 90;
const MOST_BYTES = 3_000_000;

const headUnchanged = (before: HeadItem | null): Condition =>
  before === null ? absent : equals({ headSeq: before.headSeq, leaseEpoch: before.leaseEpoch, archived: null });

/** Writes events above the head. Returns the actions that the transaction which moves the head has to include. */
export async function stageEvents(
  db: Db,
  runId: string,
  before: HeadItem | null,
  events: readonly NumberedEvent[],
): Promise<readonly WriteAction[]> {
  const token = randomUUID();
  const head: WriteAction = { kind: "check", key: headKey(runId), when: headUnchanged(before) };
  await staged(db, [head, { kind: "put", item: { ...importKey(runId), token } }]);
  const own = equals({ token });
  for (const page of pagesOf(events, token))
    await staged(db, [head, { kind: "check", key: importKey(runId), when: own }, ...page]);
  return [{ kind: "delete", key: importKey(runId), when: own }];
}

async function staged(db: Db, actions: readonly WriteAction[]): Promise<void> {
  try {
    await db.client.transact(actions);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    throw new RetryError(
      "STORE_BUSY",
      "The run was written by another process meanwhile. Nothing was stored. Try again.",
    );
  }
}

function* pagesOf(events: readonly NumberedEvent[], token: string): Generator<WriteAction[]> {
  let [page, bytes] = [[] as WriteAction[], 0];
  for (const event of events) {
    const actions = [putEventKey(event, null), ...putEvent(event, null)].map((action) => asStaged(action, token));
    const size = sizeOf(event);
    if (page.length > 0 && (page.length + actions.length > MOST_ACTIONS || bytes + size > MOST_BYTES)) {
      yield page;
      [page, bytes] = [[], 0];
    }
    page.push(...actions);
    bytes += size;
  }
  if (page.length > 0) yield page;
}

const sizeOf = ({ dataJson, refJson }: CheckedEvent): number =>
  Buffer.byteLength(dataJson) + (refJson?.length ?? 0) + 1000;

function asStaged(action: WriteAction, token: string): WriteAction {
  return action.kind === "put" ? { ...action, item: { ...action.item, staged: token } } : action;
}
