/** Saves folded headers and changed steps with their rows of the index, one transaction per run (F7). */
import type { ProjectionChange, RunHeader, StepRow } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import { absent } from "./conditions.js";
import type { Db } from "./db.js";
import { dueActions, finishedOf, groupKey, type Finished } from "./due-runs.js";
import { Cancelled } from "./errors.js";
import { readHead } from "./heads.js";
import { COUNT_SLOTS, indexActions, type Indexed } from "./index-rows.js";
import { deleteItems, putItems, queryAll } from "./items.js";
import {
  newProjectionId,
  putHeader,
  putJournal,
  putStep,
  unchanged,
  type ProjectionMeta,
  type StoredHeader,
} from "./projection-items.js";
import { readHeader, readJournal } from "./snapshots.js";
import { listKey } from "./shards.js";
import { journalKey, projectionKey, runPartition, type Key } from "./table.js";

/** A transaction has room for the items of this many steps. */
const MOST_STEP_ACTIONS = 60;
const AT_ONCE = 16;

export async function saveProjections(db: Db, changes: readonly ProjectionChange[]): Promise<boolean[]> {
  const saved: boolean[] = [];
  for (let start = 0; start < changes.length; start += AT_ONCE) {
    const page = changes.slice(start, start + AT_ONCE).map((change) => saveProjection(db, change));
    saved.push(...(await Promise.all(page)));
  }
  return saved;
}

export async function saveProjection(db: Db, change: ProjectionChange): Promise<boolean> {
  const { readSeq, generation = 0, header } = change;
  const stored = await readApplied(db, header.runId);
  if ((stored?.meta.seq ?? 0) !== readSeq) return false;
  if (stored !== null && stored.meta.generation !== generation) return false;
  return replaceStored(db, stored, { header, steps: change.steps, generation, keepsSteps: true });
}

/** Reads the header, and first applies a journal that another save left behind. */
export async function readApplied(db: Db, runId: string): Promise<StoredHeader | null> {
  for (;;) {
    const stored = await readHeader(db.client, runId);
    if (stored === null || stored.meta.journal === null) return stored;
    await applyJournal(db, stored.meta);
  }
}

export interface NewProjection {
  readonly header: RunHeader;
  readonly steps: readonly StepRow[];
  readonly generation: number;
  /** `false` if `steps` replace all stored ones. */
  readonly keepsSteps: boolean;
}

/** Returns `false` if the stored projection is no longer the one that was read. */
export async function replaceStored(
  db: Db,
  stored: StoredHeader | null,
  { header, steps, generation, keepsSteps }: NewProjection,
): Promise<boolean> {
  const { runId } = header;
  const head = await readHead(db.client, runId);
  const projectionId = keepsSteps && stored !== null ? stored.meta.projectionId : newProjectionId();
  const base = { projectionId, runId, seq: header.lastEventSeq, generation, isStale: header.stale === true };
  const meta: ProjectionMeta = { ...base, tenantId: head?.tenantId ?? stored?.meta.tenantId ?? null, journal: null };
  const direct = steps.flatMap((step) => putStep(meta, step));
  const isLarge = direct.length > MOST_STEP_ACTIONS;
  const saved = isLarge ? { ...meta, journal: meta.seq } : meta;
  const rows = isLarge ? putJournal(meta, steps) : direct;
  const when = stored === null ? absent : unchanged(stored.meta);
  const around = await surroundings(db, stored, saved, header, head?.archived ?? false);
  const isWritten = await written(db, [...putHeader(saved, header, when), ...rows, ...around]);
  if (isWritten && isLarge) await applyJournal(db, saved);
  if (isWritten && !keepsSteps) await removeSteps(db, runId, projectionId);
  return isWritten;
}

/** Removes the steps of other projections of the run. Until then, readers pass over them. */
async function removeSteps({ client }: Db, runId: string, keptId: string | null): Promise<void> {
  for (const prefix of ["S#", "O#"]) {
    const items = await queryAll(client, { pk: runPartition(runId), prefix, only: ["pk", "sk", "pid", "partOf"] });
    const old = items.filter((item) => item["pid"] !== keptId && !("partOf" in item && keptId !== null));
    await deleteItems(
      client,
      old.map(({ pk, sk }) => ({ pk, sk }) as Key),
    );
  }
}

async function written(db: Db, actions: readonly WriteAction[]): Promise<boolean> {
  try {
    await db.client.transact(actions);
    return true;
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

/** Deletes the projection with everything that depends on it. It can be rebuilt from the log. */
export async function deleteProjection(db: Db, runId: string): Promise<void> {
  for (;;) {
    const stored = await readApplied(db, runId);
    if (stored === null || (await removeStored(db, stored))) break;
  }
  await removeSteps(db, runId, null);
  const keyframes = await queryAll(db.client, { pk: runPartition(runId), prefix: "K#", only: ["pk", "sk"] });
  await deleteItems(db.client, keyframes as unknown as Key[]);
}

async function removeStored(db: Db, stored: StoredHeader): Promise<boolean> {
  const { runId, isStale } = stored.meta;
  const head = await readHead(db.client, runId);
  const slot = Math.floor(Math.random() * COUNT_SLOTS);
  const before = indexedOf(stored);
  const isRemoved = await written(db, [
    { kind: "delete", key: projectionKey(runId), when: unchanged(stored.meta) },
    ...indexActions(before, null, slot),
    ...dueActions(finished(before, head === null || head.archived), null), // only archived runs are deleted
    { kind: "delete", key: listKey("PROJECTIONS", runId) },
    ...(isStale ? [{ kind: "delete", key: { pk: "STALE", sk: runId } } as const] : []),
  ]);
  return isRemoved;
}

/** Lists and counters that depend on the header. */
async function surroundings(
  db: Db,
  stored: StoredHeader | null,
  meta: ProjectionMeta,
  header: RunHeader,
  archived: boolean,
): Promise<WriteAction[]> {
  const slot = Math.floor(Math.random() * COUNT_SLOTS);
  const [before, after] = [indexedOf(stored), indexedOf({ meta, header })];
  const [was, is] = [finished(before, archived), finished(after, archived)];
  if (was === null && is !== null) await addGroup(db, is);
  const stale = { pk: "STALE", sk: meta.runId };
  return [
    ...indexActions(before, after, slot),
    ...dueActions(was, is),
    ...(stored === null ? [{ kind: "put", item: { ...listKey("PROJECTIONS", meta.runId) } } as const] : []),
    ...(meta.isStale && stored?.meta.isStale !== true ? [{ kind: "put", item: stale } as const] : []),
    ...(!meta.isStale && stored?.meta.isStale === true ? [{ kind: "delete", key: stale } as const] : []),
  ];
}

function indexedOf(stored: StoredHeader | null): Indexed | null {
  if (stored === null || stored.meta.tenantId === null) return null;
  return { tenantId: stored.meta.tenantId, header: stored.header };
}

const finished = (indexed: Indexed | null, archived: boolean): Finished | null =>
  indexed === null ? null : finishedOf(indexed.header, indexed.tenantId, archived);

/** Not part of the transaction, because every finished run of a workflow would be in conflict. It may be there without runs. */
async function addGroup({ client }: Db, { tenantId, workflowId }: Finished): Promise<void> {
  await putItems(client, [{ ...groupKey({ tenantId, workflowId }), tenantId, workflowId }]);
}

/** Writes the steps of a journal as items. Any process may do it, any number of times: a newer step is not replaced. */
async function applyJournal(db: Db, meta: ProjectionMeta): Promise<void> {
  const steps = await readJournal(db.client, meta);
  if (steps === "torn" || meta.journal === null) return; // another process has applied it
  for (let start = 0; start < steps.length; start += AT_ONCE) {
    const page = steps.slice(start, start + AT_ONCE).map((step) => applyStep(db, meta, step));
    await Promise.all(page);
  }
  const key = projectionKey(meta.runId);
  const isOver = await written(db, [{ kind: "update", key, set: { journal: null }, when: unchanged(meta) }]);
  if (isOver) await deleteItems(db.client, journalKeys(meta));
}

async function applyStep(db: Db, meta: ProjectionMeta, step: StepRow): Promise<void> {
  await written(db, putStep(meta, step)); // refused if a newer one is there
}

/** More parts than a transaction can hold. */
const MOST_PARTS = 12;

function journalKeys({ runId, journal }: ProjectionMeta) {
  const { pk, sk } = journalKey(runId, journal!);
  return [{ pk, sk }, ...Array.from({ length: MOST_PARTS }, (_, part) => ({ pk, sk: `${sk}#${part + 1}` }))];
}
