import { RetryError, type Projection, type RunSnapshot, type StepRow } from "@runledger/contracts";
import { toRunSnapshot, toRunState } from "@runledger/core";
import type { Tenant } from "@runledger/core/store";
import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import { json, number, text, type Item } from "./encoding.js";
import { isVisible, readHead } from "./heads.js";
import { getItems, queryAll, queryPages } from "./items.js";
import { keysOfParts, queryWhole, joinParts } from "./parts.js";
import { toMeta, toSteps, toStoredHeader, type ProjectionMeta, type StoredHeader } from "./projection-items.js";
import { journalKey, padded, projectionKey, runPartition, stepKey } from "./table.js";

/** Reads again if a projector saves meanwhile. */
const TRIES = 50;

async function untilWhole<T>(read: () => Promise<T | "torn">): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await read();
    if (result !== "torn") return result;
  }
  throw new RetryError("STORE_BUSY", "A projection is written faster than it can be read. Try again.");
}

export async function getSnapshot(
  db: Db,
  { runId, tenantId }: { readonly runId: string; readonly tenantId: Tenant },
): Promise<RunSnapshot | null> {
  const [head, projection] = await Promise.all([readHead(db.client, runId), readWhole(db, runId)]);
  if (!isVisible(head, tenantId) || projection === null) return null;
  const snapshot = toRunSnapshot(toRunState(projection.header, projection.steps));
  return head.headSeq > snapshot.lastEventSeq ? Object.freeze({ ...snapshot, stale: true }) : snapshot;
}

/** The stored projection with all its steps. */
export function readWhole({ client }: Db, runId: string): Promise<Projection | null> {
  return untilWhole(async () => {
    const stored = await readHeader(client, runId);
    if (stored === null) return null;
    const items = await queryWhole(client, { pk: runPartition(runId), prefix: "S#" });
    return projectionOf(client, stored, items);
  });
}

export async function readHeader(client: DynamoClient, runId: string): Promise<StoredHeader | null> {
  const [item] = await queryWhole(client, { pk: runPartition(runId), from: "P", to: "P#~" });
  return item === undefined ? null : toStoredHeader(item);
}

/** `torn` if a step is newer than the header. */
async function projectionOf(
  client: DynamoClient,
  { meta, header }: StoredHeader,
  items: readonly Item[],
  wanted?: ReadonlySet<string>,
): Promise<Projection | "torn"> {
  const steps = stepsOf(meta, items);
  const late = await readJournal(client, meta);
  if (steps === "torn" || late === "torn") return "torn";
  for (const step of late) if (wanted === undefined || wanted.has(step.stepId)) steps.set(step.stepId, step);
  const rebuilt = meta.generation === 0 ? {} : { generation: meta.generation };
  return { header, steps: [...steps.values()].sort(byOrdinal), ...rebuilt };
}

function stepsOf({ projectionId, seq }: ProjectionMeta, items: readonly Item[]): Map<string, StepRow> | "torn" {
  const own = items.filter((item) => item["pid"] === projectionId);
  if (own.some((item) => number(item, "seq") > seq)) return "torn";
  return new Map(own.map((item) => json(item, "d") as StepRow).map((step) => [step.stepId, step]));
}

/** The steps of a journal that is not applied yet. */
export async function readJournal(
  client: DynamoClient,
  { runId, journal, projectionId }: ProjectionMeta,
): Promise<StepRow[] | "torn"> {
  if (journal === null) return [];
  const { pk, sk } = journalKey(runId, journal);
  const [item] = await queryWhole(client, { pk, from: sk, to: `${sk}#~` });
  return item === undefined || item["pid"] !== projectionId ? "torn" : toSteps(item);
}

const byOrdinal = (a: StepRow, b: StepRow): number => a.ordinal - b.ordinal;

type Wanted = { readonly runId: string; readonly stepIds: readonly string[] };

export async function readProjection(db: Db, params: Wanted): Promise<Projection | null> {
  return untilWhole(() => readNamed(db.client, params));
}

export function readProjections(db: Db, params: readonly Wanted[]): Promise<(Projection | null)[]> {
  return Promise.all(params.map((each) => readProjection(db, each)));
}

async function readNamed(client: DynamoClient, { runId, stepIds }: Wanted): Promise<Projection | "torn" | null> {
  const unique = [...new Set(stepIds)].filter(isStorable);
  const stored = await readHeader(client, runId);
  if (stored === null) return null;
  const items = await getWhole(
    client,
    unique.map((stepId) => stepKey(runId, stepId)),
  );
  return items === "torn" ? "torn" : projectionOf(client, stored, items, new Set(unique));
}

/** Ids that cannot exist are not found. */
const isStorable = (stepId: string): boolean => stepId !== "" && Buffer.byteLength(stepId) <= 1000;

/** Reads items by their keys, and then the parts of large ones. */
async function getWhole(client: DynamoClient, keys: readonly { pk: string; sk: string }[]): Promise<Item[] | "torn"> {
  const items = (await getItems(client, keys)).filter((item) => item !== null);
  const parts = await getItems(
    client,
    items.flatMap((item) => keysOfParts(item).slice(1)),
  );
  const ordered = items.flatMap((item) => [item, ...parts.filter((part) => part?.["partOf"] === item["partMark"])]);
  const present = ordered.filter((item) => item !== null && item !== undefined);
  return joinParts(parts.length === 0 ? items : present) ?? "torn";
}

/** Steps by ordinal. */
export function listSteps(
  { client }: Db,
  { runId, afterOrdinal, limit }: { readonly runId: string; readonly afterOrdinal: number; readonly limit: number },
): Promise<StepRow[]> {
  return untilWhole(async () => {
    const stored = await readHeader(client, runId);
    if (stored === null) return [];
    const own = await readPlaces(client, stored.meta, afterOrdinal, limit);
    const items = await getWhole(
      client,
      own.map((item) => stepKey(runId, text(item, "stepId"))),
    );
    if (items === "torn") return "torn";
    const page = await projectionOf(client, stored, items);
    if (page === "torn") return "torn";
    return page.steps.filter(({ ordinal }) => ordinal > afterOrdinal).slice(0, limit);
  });
}

/** The ids of the next steps. Items of a projection that was replaced are passed over. */
async function readPlaces(client: DynamoClient, meta: ProjectionMeta, afterOrdinal: number, limit: number) {
  const from = `O#${padded(afterOrdinal + 1)}`;
  const own: Item[] = [];
  for await (const page of queryPages(client, { pk: runPartition(meta.runId), from, to: "O#~", limit })) {
    own.push(...page.filter((item) => item["pid"] === meta.projectionId));
    if (own.length >= limit) break;
  }
  return own.slice(0, limit);
}

/** Runs whose header was saved as stale. */
export async function listStale(
  { client }: Db,
  { afterRunId, limit }: { readonly afterRunId: string; readonly limit: number },
): Promise<string[]> {
  const items = await queryAll(client, { pk: "STALE", from: `${afterRunId}\u0000`, limit });
  return items.map((item) => text(item, "sk"));
}

/** How far each run is projected. */
export async function readWatermarks(
  client: DynamoClient,
  runIds: readonly string[],
): Promise<{ readonly seq: number; readonly isStale: boolean }[]> {
  const items = await getItems(client, runIds.map(projectionKey));
  return items.map((item) => (item === null ? { seq: 0, isStale: false } : toMeta(item)));
}
