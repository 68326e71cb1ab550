/** Bytes of runs. A chunk is larger than an item may be, so it is several items, written in one transaction. */
import {
  checkArtifactChunk,
  RunNotFoundError,
  type ArtifactChunk,
  type Artifacts,
  type StoredArtifact,
} from "@runledger/contracts";
import type { Tenant } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import {
  changedDocument,
  following,
  newDocument,
  readDocument,
  tryTransact,
  untilCurrent,
  type Stored,
} from "./documents.js";
import { json, number, text, type Item } from "./encoding.js";
import { isVisible, readHead } from "./heads.js";
import { deleteItems, LAST, queryAll, queryPages } from "./items.js";
import { part } from "./queue-keys.js";
import { padded, runPartition, type Key } from "./table.js";

interface ArtifactFacts {
  readonly stored: StoredArtifact;
  readonly chunks: number;
}

const partitionOf = (uri: string): string => `ARTIFACT#${uri}`;
const factsKey = (uri: string): Key => ({ pk: partitionOf(uri), sk: "-" });
const LISTED = "A#artifact#";
const listedKey = ({ runId, uri }: StoredArtifact): Key => ({ pk: runPartition(runId), sk: `${LISTED}${part(uri)}` });
const chunkName = (chunk: number): string => `C#${padded(chunk)}`;

const PART_BYTES = 350_000;

export function artifacts({ client }: Db, tenantId: Tenant): Artifacts {
  return {
    writeChunk: (params) => writeChunk(client, tenantId, params),
    readChunks: ({ uri, afterChunk = 0, limit = 16 }) => readChunks(client, tenantId, { uri, afterChunk, limit }),
    listArtifacts: ({ limit = 1000, ...params }) => listArtifacts(client, tenantId, { ...params, limit }),
  };
}

async function isRunVisible(client: DynamoClient, runId: string, tenantId: Tenant): Promise<boolean> {
  return isVisible(await readHead(client, runId), tenantId);
}

async function writeChunk(client: DynamoClient, tenantId: Tenant, params: ArtifactChunk): Promise<void> {
  checkArtifactChunk(params);
  const { artifact } = params;
  if (!(await isRunVisible(client, artifact.runId, tenantId))) throw new RunNotFoundError(artifact.runId);
  await untilCurrent(async () => {
    const known = await readDocument<ArtifactFacts>(client, factsKey(artifact.uri));
    const actions = added(known, params, iso(client.clock.now()));
    return (await tryTransact(client, actions)) || undefined;
  });
}

/** A repeated chunk, and one after the last, change nothing. */
function added(known: Stored<ArtifactFacts> | null, params: ArtifactChunk, createdAt: string): WriteAction[] {
  const { artifact, chunk, bytes, whole } = params;
  const before = known?.value ?? { stored: { ...artifact, createdAt }, chunks: 0 };
  if (before.stored.sha256 !== undefined || before.stored.runId !== artifact.runId) return [];
  const isNext = chunk === before.chunks + 1;
  if (known !== null && !isNext && whole === undefined) return [];
  const after = { stored: { ...before.stored, ...whole }, chunks: before.chunks + (isNext ? 1 : 0) };
  const key = factsKey(artifact.uri);
  return [
    known === null ? newDocument(key, after) : changedDocument(key, after, known.revision),
    ...(isNext ? chunkActions(artifact.uri, chunk, bytes) : []),
    ...(known === null || whole !== undefined ? [listed(after.stored)] : []),
  ];
}

function chunkActions(uri: string, chunk: number, bytes: Uint8Array): WriteAction[] {
  const count = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  return Array.from({ length: count }, (_, index): WriteAction => {
    const some = bytes.slice(index * PART_BYTES, (index + 1) * PART_BYTES);
    return { kind: "put", item: { pk: partitionOf(uri), sk: `${chunkName(chunk)}#${index}`, chunk, bytes: some } };
  });
}

function listed(stored: StoredArtifact): WriteAction {
  return { kind: "put", item: { ...listedKey(stored), d: JSON.stringify(stored) } };
}

async function readChunks(
  client: DynamoClient,
  tenantId: Tenant,
  { uri, afterChunk, limit }: { readonly uri: string; readonly afterChunk: number; readonly limit: number },
): Promise<{ chunks: Uint8Array[]; ended: boolean } | null> {
  const known = await readDocument<ArtifactFacts>(client, factsKey(uri));
  if (known === null || !(await isRunVisible(client, known.value.stored.runId, tenantId))) return null;
  const last = Math.min(afterChunk + limit, known.value.chunks);
  const range = { pk: partitionOf(uri), from: chunkName(afterChunk + 1), to: `${chunkName(last)}${LAST}` };
  const items = last > afterChunk ? await queryAll(client, range) : [];
  const numbers = [...new Set(items.map((item) => number(item, "chunk")))];
  const chunks = numbers.map((chunk) => joinBytes(items.filter((item) => number(item, "chunk") === chunk)));
  const ended = known.value.stored.sha256 !== undefined && afterChunk + chunks.length >= known.value.chunks;
  return { chunks, ended };
}

const joinBytes = (items: readonly Item[]): Uint8Array =>
  Uint8Array.from(Buffer.concat(items.map((item) => (item["bytes"] ?? new Uint8Array()) as Uint8Array)));

async function listArtifacts(
  client: DynamoClient,
  tenantId: Tenant,
  params: { readonly runId: string; readonly stepId?: string; readonly afterUri?: string; readonly limit: number },
): Promise<StoredArtifact[]> {
  const { runId, stepId, afterUri = "", limit } = params;
  if (!(await isRunVisible(client, runId, tenantId))) return [];
  const from = afterUri === "" ? LISTED : following(`${LISTED}${part(afterUri)}`);
  const found: StoredArtifact[] = [];
  for await (const items of queryPages(client, { pk: runPartition(runId), from, to: `${LISTED}${LAST}` })) {
    const stored = items.map((item) => json(item, "d") as StoredArtifact);
    found.push(...stored.filter((one) => stepId === undefined || one.stepId === stepId));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

const SWEPT = 10;

/** Deletes some artifacts of a run. Returns `false` if there are none. */
export async function deleteArtifacts(client: DynamoClient, runId: string): Promise<boolean> {
  const items = await queryAll(client, { pk: runPartition(runId), prefix: LISTED, limit: SWEPT });
  for (const item of items) {
    const { uri } = json(item, "d") as StoredArtifact;
    for await (const page of queryPages(client, { pk: partitionOf(uri) })) await deleteItems(client, page.map(toKey));
    await deleteItems(client, [toKey(item)]);
  }
  return items.length > 0;
}

const toKey = (item: Item): Key => ({ pk: text(item, "pk"), sk: text(item, "sk") });
