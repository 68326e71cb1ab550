/**
 * Stores the bytes of runs in chunks (C5). Each chunk is a row, so readers can read them while the writer adds more.
 */
import {
  ArtifactExpiredError,
  checkArtifactChunk,
  checkArtifactUri,
  RunNotFoundError,
  STORE_SCHEME,
  type ArtifactChunk,
  type Artifacts,
  type StoredArtifact,
} from "@runledger/contracts";
import { firstOf, type Database, type Row, type Statement } from "./client.js";

/** The first chunk creates the artifact, the last one closes it. Existing chunks are not changed. */
const write: Statement = {
  name: "artifact_write",
  text: `
WITH run AS (
  SELECT run_id FROM runledger.run_heads WHERE run_id = $2 AND ($10::text IS NULL OR tenant_id = $10)
),
made AS (
  INSERT INTO runledger.artifacts (artifact_id, run_id, kind, step_id, attempt, chunks, sha256, size_bytes)
  SELECT $1, run_id, $3, $4, $5, CASE WHEN $8::text IS NOT NULL THEN $6::integer END, $8, $9::bigint FROM run
  WHERE NOT EXISTS (SELECT FROM runledger.artifacts WHERE artifact_id = $1)
  ON CONFLICT (artifact_id) DO NOTHING RETURNING artifact_id
),
open AS (
  SELECT a.artifact_id FROM runledger.artifacts a JOIN run USING (run_id)
  WHERE a.artifact_id = $1 AND a.chunks IS NULL
),
closed AS (
  UPDATE runledger.artifacts a SET chunks = $6::integer, sha256 = $8, size_bytes = $9::bigint
  FROM open WHERE a.artifact_id = open.artifact_id AND $8::text IS NOT NULL
),
chunk AS (
  INSERT INTO runledger.artifact_chunks (artifact_id, chunk, bytes)
  SELECT artifact_id, $6, $7::bytea FROM (TABLE made UNION ALL TABLE open) AS either
  ON CONFLICT (artifact_id, chunk) DO NOTHING
)
SELECT count(*) FROM run`,
};

/**
 * Returns a row per chunk, or one row without a chunk. The driver would parse an array of bytes character by character.
 */
const read: Statement = {
  name: "artifact_read",
  text: `
SELECT a.chunks, c.bytes, e.expired_at
FROM runledger.artifacts a JOIN runledger.run_heads h USING (run_id)
LEFT JOIN LATERAL (
  SELECT bytes, chunk FROM runledger.artifact_chunks
  WHERE artifact_id = a.artifact_id AND chunk > $2 ORDER BY chunk LIMIT $3
) c ON true
LEFT JOIN runledger.expired_artifacts e ON e.artifact_id = a.artifact_id
WHERE a.artifact_id = $1 AND ($4::text IS NULL OR h.tenant_id = $4)
ORDER BY c.chunk`,
};

const list: Statement = {
  name: "artifact_list",
  text: `
SELECT a.artifact_id, a.kind, a.step_id, a.attempt, a.sha256, a.size_bytes, a.created_at, e.expired_at
FROM runledger.artifacts a JOIN runledger.run_heads h USING (run_id)
LEFT JOIN runledger.expired_artifacts e ON e.artifact_id = a.artifact_id
WHERE a.run_id = $1 AND ($2::text IS NULL OR a.step_id = $2) AND a.artifact_id > $3
  AND ($5::text IS NULL OR h.tenant_id = $5)
ORDER BY a.artifact_id LIMIT $4`,
};

export function artifacts(db: Database, tenantId?: string): Artifacts {
  const tenant = tenantId ?? null;
  return {
    writeChunk: (params) => writeChunk(db, tenant, params),
    readChunks: async ({ uri, afterChunk = 0, limit = 16 }) => {
      const rows = await db.read(read, [checkArtifactUri("uri", uri), afterChunk, limit, tenant]);
      if (rows.length === 0) return null;
      const [count, , expiredAt] = firstOf(rows) as [number | null, unknown, string | null];
      if (expiredAt !== null) throw new ArtifactExpiredError(uri, expiredAt);
      const chunks = rows.flatMap(([, bytes]) => (bytes === null ? [] : [bytes as Uint8Array]));
      return { chunks, ended: count !== null && afterChunk + chunks.length >= count };
    },
    listArtifacts: async ({ runId, stepId, afterUri, limit = 1000 }) => {
      const after = afterUri === undefined ? "" : checkArtifactUri("afterUri", afterUri);
      const rows = await db.read(list, [runId, stepId ?? null, after, limit, tenant]);
      return rows.map((row) => toArtifact(runId, row));
    },
  };
}

async function writeChunk(db: Database, tenant: string | null, params: ArtifactChunk): Promise<void> {
  checkArtifactChunk(params);
  const { artifact, chunk, bytes, whole } = params;
  const { uri, runId, kind, stepId = null, attempt = null } = artifact;
  const about = [checkArtifactUri("uri", uri), runId, kind, stepId, attempt];
  const row = [...about, chunk, Buffer.from(bytes), whole?.sha256 ?? null, whole?.sizeBytes ?? null, tenant];
  const [runs] = firstOf(await db.write(write, row));
  if (runs === 0) throw new RunNotFoundError(runId);
}

function toArtifact(runId: string, row: Row): StoredArtifact {
  const [id, kind, stepId, attempt, sha256, sizeBytes, createdAt, expiredAt] = row;
  return {
    uri: STORE_SCHEME + String(id),
    runId,
    kind: kind as string,
    createdAt: createdAt as string,
    ...(stepId === null ? {} : { stepId: stepId as string }),
    ...(attempt === null ? {} : { attempt: attempt as number }),
    ...(sha256 === null ? {} : { sha256: sha256 as string, sizeBytes: sizeBytes as number }),
    ...(expiredAt === null ? {} : { expiredAt: expiredAt as string }),
  };
}
