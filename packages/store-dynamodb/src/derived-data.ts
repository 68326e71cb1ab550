/** Reads and replaces derived data as it is stored, to verify or rebuild it. */
import type { DerivedRun, Json, Rebuilt, RunHeader } from "@runledger/contracts";
import { runStatuses } from "@runledger/contracts";
import { noRuns } from "@runledger/core/store";
import { loadCheckpoint } from "./checkpoints.js";
import type { Db } from "./db.js";
import { json, numberOrNull, text, type Item } from "./encoding.js";
import { hashOf } from "./event-items.js";
import { readHead } from "./heads.js";
import { bucketOf, countPartition, levels, toStoredRow, type StoredRow } from "./index-rows.js";
import { deleteItems, getItem, queryAll } from "./items.js";
import { putKeyframe } from "./keyframes.js";
import { queryWhole } from "./parts.js";
import { readRows, type QueueRow } from "./queue-rows.js";
import { readApplied, replaceStored } from "./save-projections.js";
import { listAcross } from "./shards.js";
import { readHeader, readWhole } from "./snapshots.js";
import { indexKey, runPartition, type Key } from "./table.js";

const TRIES = 20;

/** Reads again if the run changes meanwhile. */
export async function readDerived(db: Db, runId: string): Promise<DerivedRun> {
  let before = await stateOf(db, runId);
  for (let tries = 0; ; tries++) {
    const derived = await readParts(db, runId);
    const after = await stateOf(db, runId);
    if (before === after || tries >= TRIES) return derived;
    before = after;
  }
}

async function stateOf(db: Db, runId: string): Promise<string> {
  const [head, stored] = await Promise.all([readHead(db.client, runId), readHeader(db.client, runId)]);
  return JSON.stringify([head, stored?.meta]);
}

async function readParts(db: Db, runId: string): Promise<DerivedRun> {
  const [head, stored, whole, checkpoint, rows] = await Promise.all([
    readHead(db.client, runId),
    readHeader(db.client, runId),
    readWhole(db, runId),
    loadCheckpoint(db, runId),
    readRows(db.client, [runId]),
  ]);
  const row = rows[0] ?? null;
  return {
    head: head === null ? null : { tenantId: head.tenantId, headSeq: head.headSeq, archived: head.archived },
    header: stored?.header ?? null,
    steps: whole?.steps ?? [],
    checkpoint,
    place: row === null ? null : placeOf(row),
    indexRow:
      stored === null || stored.meta.tenantId === null
        ? null
        : await readIndexRow(db, stored.header, stored.meta.tenantId),
  };
}

function placeOf({ tenantId, planId, planVersion, logFormat, priority, projectId, concurrencyKey }: QueueRow) {
  const key = concurrencyKey === null ? {} : { concurrencyKey };
  return { tenantId, planId, planVersion, logFormat, priority, projectId, ...key };
}

async function readIndexRow(db: Db, header: RunHeader, tenantId: string): Promise<Json> {
  const { summary } = toStoredRow(header);
  const item = await getItem(db.client, indexKey(tenantId, summary.createdAt, header.runId));
  return item === null ? null : { tenantId, ...(json(item, "d") as object) };
}

export function expectedIndexRow(header: RunHeader, tenantId: string): Json {
  return { tenantId, ...(JSON.parse(JSON.stringify(toStoredRow(header))) as object) };
}

export async function listDerived(
  { client }: Db,
  { afterRunId, limit }: { readonly afterRunId: string; readonly limit: number },
): Promise<string[]> {
  const found: string[] = [];
  for await (const page of listAcross(client, "PROJECTIONS", afterRunId, limit)) {
    found.push(...page);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Projectors that hold the old projection are refused, because the generation has changed. */
export async function replaceProjection(db: Db, { header, steps, keyframes }: Rebuilt): Promise<boolean> {
  for (;;) {
    const stored = await readApplied(db, header.runId);
    if ((stored?.meta.seq ?? 0) > header.lastEventSeq) return false;
    const generation = stored === null ? 0 : stored.meta.generation + 1;
    if (!(await replaceStored(db, stored, { header, steps, generation, keepsSteps: false }))) continue;
    const old = await queryAll(db.client, { pk: runPartition(header.runId), prefix: "K#", only: ["pk", "sk"] });
    await deleteItems(db.client, old as unknown as Key[]);
    for (const keyframe of keyframes) await db.client.transact(putKeyframe(keyframe));
    return true;
  }
}

/** An event has the hash of the text that was stored with it. */
export async function changedEvents({ client }: Db, runId: string): Promise<number[]> {
  const items = await queryWhole(client, { pk: runPartition(runId), from: "E#", to: "E#~" });
  const changed = items.filter((item) => hashOf(text(item, "d")) !== item["hash"]);
  return changed.map((item) => Number(text(item, "sk").slice(2)));
}

/** By tenant, the counters as they are and as they should be, summed over their slots. */
async function compareCounts(db: Db): Promise<{ tenantId: string; name: string; wrong: Item }[]> {
  const wrong: { tenantId: string; name: string; wrong: Item }[] = [];
  for (const [tenantId, rows] of await allRows(db)) {
    const expected = new Map<string, Record<string, number>>();
    const count = (name: string, status: string, by: number): void => {
      const counts: Record<string, number> = expected.get(name) ?? noRuns();
      counts[status] = (counts[status] ?? 0) + by;
      expected.set(name, counts);
    };
    for (const { summary } of rows) for (const name of counterNames(summary)) count(name, summary.status, 1);
    for (const item of await queryAll(db.client, { pk: countPartition(tenantId) }))
      for (const status of runStatuses) count(nameOfCounter(item), status, -(numberOrNull(item, status) ?? 0));
    for (const [name, counts] of expected) {
      const missing = Object.entries(counts).filter(([, value]) => value !== 0);
      if (missing.length > 0) wrong.push({ tenantId, name, wrong: Object.fromEntries(missing) });
    }
  }
  return wrong;
}

function counterNames({ planId, projectId, environmentId, createdAt }: StoredRow["summary"]): string[] {
  const dimensions = JSON.stringify([planId ?? "", projectId ?? "", environmentId ?? ""]);
  return levels.map((level) => `${level}|${bucketOf(level, createdAt)}|${dimensions}`);
}

function nameOfCounter(item: Item): string {
  const [level, bucket] = text(item, "sk").split("|");
  return `${level}|${bucket}|${text(item, "dimensions")}`;
}

/** Rows of the index by tenant, of every run with a projection. */
async function allRows(db: Db): Promise<Map<string, StoredRow[]>> {
  const rows = new Map<string, StoredRow[]>();
  for await (const page of listAcross(db.client, "PROJECTIONS", "", 1000)) {
    const headers = await Promise.all(page.map((runId) => readHeader(db.client, runId)));
    for (const stored of headers) {
      if (stored === null || stored.meta.tenantId === null) continue;
      const own = rows.get(stored.meta.tenantId) ?? [];
      rows.set(stored.meta.tenantId, [...own, toStoredRow(stored.header)]);
    }
  }
  return rows;
}

export async function wrongCounts(db: Db): Promise<number> {
  const wrong = await compareCounts(db);
  return wrong.reduce((sum, one) => sum + Object.keys(one.wrong).length, 0);
}

/** Adds what is missing, so that saves at the same time are not lost. */
export async function recount(db: Db): Promise<void> {
  for (const { tenantId, name, wrong } of await compareCounts(db)) {
    const [level, bucket, ...rest] = name.split("|");
    const dimensions = rest.join("|");
    const key = { pk: countPartition(tenantId), sk: `${level}|${bucket}|${hashOf(dimensions)}|corrected` };
    const add = wrong as Readonly<Record<string, number>>;
    await db.client.transact([{ kind: "update", key, set: { dimensions }, add }]);
  }
}
