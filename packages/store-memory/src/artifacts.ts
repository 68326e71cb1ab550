import {
  ArtifactExpiredError,
  checkArtifactChunk,
  RunNotFoundError,
  type ArtifactChunk,
  type Artifacts,
  type StoredArtifact,
} from "@runledger/contracts";
import { compareIds } from "./heads.js";
import { visibleRun, type Tables } from "./tables.js";

export interface ArtifactTable {
  readonly chunks: Uint8Array[];
  stored: StoredArtifact;
}

export function artifacts(tables: Tables, tenantId: string | undefined): Artifacts {
  return {
    writeChunk: async (params) => writeChunk(tables, tenantId, params),
    readChunks: async ({ uri, afterChunk = 0, limit = 16 }) => readChunks(tables, tenantId, { uri, afterChunk, limit }),
    listArtifacts: async ({ limit = 1000, ...params }) => listArtifacts(tables, tenantId, params).slice(0, limit),
  };
}

function writeChunk(tables: Tables, tenantId: string | undefined, params: ArtifactChunk): void {
  checkArtifactChunk(params);
  const { artifact, chunk, bytes, whole } = params;
  if (visibleRun(tables, artifact.runId, tenantId) === undefined) throw new RunNotFoundError(artifact.runId);
  const known = tables.artifacts.get(artifact.uri) ?? made(tables, artifact);
  if (known.stored.sha256 !== undefined || known.stored.runId !== artifact.runId) return;
  if (chunk === known.chunks.length + 1) known.chunks.push(Uint8Array.from(bytes));
  if (whole !== undefined) known.stored = { ...known.stored, ...whole };
}

function made(tables: Tables, artifact: ArtifactChunk["artifact"]): ArtifactTable {
  const createdAt = new Date(tables.now()).toISOString();
  const table: ArtifactTable = { chunks: [], stored: { ...artifact, createdAt } };
  tables.artifacts.set(artifact.uri, table);
  return table;
}

function readChunks(
  tables: Tables,
  tenantId: string | undefined,
  { uri, afterChunk, limit }: { readonly uri: string; readonly afterChunk: number; readonly limit: number },
): { chunks: Uint8Array[]; ended: boolean } | null {
  const known = tables.artifacts.get(uri);
  if (known === undefined || visibleRun(tables, known.stored.runId, tenantId) === undefined) return null;
  if (known.stored.expiredAt !== undefined) throw new ArtifactExpiredError(uri, known.stored.expiredAt);
  const chunks = known.chunks.slice(afterChunk, afterChunk + limit).map((bytes) => Uint8Array.from(bytes));
  const ended = known.stored.sha256 !== undefined && afterChunk + chunks.length >= known.chunks.length;
  return { chunks, ended };
}

function listArtifacts(
  tables: Tables,
  tenantId: string | undefined,
  { runId, stepId, afterUri = "" }: { readonly runId: string; readonly stepId?: string; readonly afterUri?: string },
): StoredArtifact[] {
  if (visibleRun(tables, runId, tenantId) === undefined) return [];
  return [...tables.artifacts.values()]
    .map(({ stored }) => stored)
    .filter((stored) => stored.runId === runId && (stepId === undefined || stored.stepId === stepId))
    .filter(({ uri }) => compareIds(uri, afterUri) > 0)
    .sort((a, b) => compareIds(a.uri, b.uri));
}
