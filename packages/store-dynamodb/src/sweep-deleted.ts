/** Removes what is left of deleted runs. Every removal requires that the run is still buried, so that no later import loses items. */
import type { WriteAction } from "./actions.js";
import { deleteArtifacts } from "./artifacts.js";
import { absent, present } from "./conditions.js";
import type { Db } from "./db.js";
import { deleteDeliveries } from "./deliveries.js";
import { text } from "./encoding.js";
import { Cancelled } from "./errors.js";
import { releaseRun } from "./hold-run.js";
import { chunked, getItem, queryAll } from "./items.js";
import { deleteProjection } from "./save-projections.js";
import { readHeader } from "./snapshots.js";
import { linkPartition, runPartition, type Key } from "./table.js";

const SWEEP = "SWEEP";
const sweepKey = (runId: string): Key => ({ pk: SWEEP, sk: runId });

/** Marks a run whose rest is to be removed. */
export const buried = (runId: string, tenantId: string): WriteAction => ({
  kind: "put",
  item: { ...sweepKey(runId), tenantId },
});

/** Nothing of a deleted run with this id is left. */
export const notSwept = (runId: string): WriteAction => ({ kind: "check", key: sweepKey(runId), when: absent });

/** Items that one step removes at most. */
const STEP = 1000;

/** Returns `false` if nothing is left. */
export async function sweepDeleted(db: Db): Promise<boolean> {
  const [next] = await queryAll(db.client, { pk: SWEEP, limit: 1 });
  if (next === undefined) return false;
  await sweepRun(db, text(next, "sk"));
  return true;
}

/** Removes all of a deleted run, before a run with the same id is imported. */
export async function finishSweep(db: Db, runId: string): Promise<void> {
  while ((await getItem(db.client, sweepKey(runId))) !== null) await sweepRun(db, runId);
}

/** One bounded step. */
export async function sweepRun(db: Db, runId: string): Promise<void> {
  const mark = await getItem(db.client, sweepKey(runId));
  if (mark === null) return;
  const tenantId = text(mark, "tenantId");
  await releaseOthers(db, runId, tenantId);
  await deleteProjection(db, runId);
  await deleteDeliveries(db.client, tenantId, runId);
  await deleteArtifacts(db.client, runId);
  const items = await queryAll(db.client, { pk: runPartition(runId), only: ["pk", "sk"], limit: STEP });
  const stillBuried: WriteAction = { kind: "check", key: sweepKey(runId), when: present };
  try {
    for (const page of chunked(items, 90))
      await db.client.transact([
        stillBuried,
        ...page.map((item): WriteAction => ({ kind: "delete", key: toKey(item) })),
      ]);
    if (items.length < STEP) await db.client.transact([{ kind: "delete", key: sweepKey(runId), when: present }]);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error; // another process has finished it
  }
}

const toKey = (item: Readonly<Record<string, unknown>>): Key => ({ pk: String(item["pk"]), sk: String(item["sk"]) });

/** The children and the origin of a deleted run can be deleted now. */
async function releaseOthers(db: Db, runId: string, tenantId: string): Promise<void> {
  const origin: unknown = (await readHeader(db.client, runId))?.header.fork?.runId;
  if (typeof origin === "string") await releaseRun(db, origin);
  for (const child of await queryAll(db.client, { pk: linkPartition(tenantId, "parent", runId) }))
    await releaseRun(db, text(child, "runId"));
}
