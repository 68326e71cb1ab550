/** Sets finished runs aside from retention, and lists them again. */
import { present } from "./conditions.js";
import type { Db } from "./db.js";
import { dueKey, finishedOf } from "./due-runs.js";
import { Cancelled } from "./errors.js";
import { readHead } from "./heads.js";
import { readHeader } from "./snapshots.js";

/** Until its projection is rebuilt: `held` is the generation that it has now. */
export async function holdRun(db: Db, runId: string): Promise<void> {
  const stored = await readHeader(db.client, runId);
  await mark(db, runId, stored?.meta.generation ?? 0);
}

export async function releaseRun(db: Db, runId: string): Promise<void> {
  await mark(db, runId, null);
}

async function mark(db: Db, runId: string, held: number | null): Promise<void> {
  const [head, stored] = await Promise.all([readHead(db.client, runId), readHeader(db.client, runId)]);
  if (head === null || stored === null) return;
  const finished = finishedOf(stored.header, head.tenantId, head.archived);
  if (finished === null) return;
  try {
    await db.client.transact([{ kind: "update", key: dueKey(finished), set: { held }, when: present }]);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error; // it is not listed
  }
}
