/** Expiry of artifacts (A8). One transaction decides and records it; `sweepDeleted` removes the content afterwards. */
import {
  artifactIdOf,
  type ArtifactExpiry,
  type ExpiredArtifact,
  type ExpireOutcome,
  type NotExpired,
  type StoredArtifact,
} from "@runledger/contracts";
import type { Database, Row, Session, Statement } from "./client.js";

/** After this time a run whose artifacts were kept is checked again. */
const BLOCKED_MS = 3_600_000;
/** A child of a child of … has at most as many parents that are checked. Artifacts below them are kept. */
const MAX_PARENTS = 100;

/** Three ranges of one index: other rules before and after these, and these at their time. */
const due: Statement = {
  name: "expiry_due",
  text: `
(
  SELECT run_id FROM runledger.run_heads
  WHERE archived_at IS NOT NULL AND tenant_id = $1 AND artifact_rules < $2
  ORDER BY artifact_rules, artifacts_at, run_id LIMIT $3
)
UNION ALL (
  SELECT run_id FROM runledger.run_heads
  WHERE archived_at IS NOT NULL AND tenant_id = $1 AND artifact_rules > $2
  ORDER BY artifact_rules, artifacts_at, run_id LIMIT $3
)
UNION ALL (
  SELECT run_id FROM runledger.run_heads
  WHERE archived_at IS NOT NULL AND tenant_id = $1 AND artifact_rules = $2 AND artifacts_at <= clock_timestamp()
  ORDER BY artifacts_at, run_id LIMIT $3
)
LIMIT $3`,
};

/** The run, its parent, the parent of that, and so on, as far as they exist. */
const family: Statement = {
  name: "expiry_family",
  text: `
WITH RECURSIVE family (run_id, parent_id, is_known, depth) AS (
  SELECT run.id, (i.summary -> 'parent' ->> 'runId') COLLATE "C", i.run_id IS NOT NULL, 0
  FROM (SELECT $1::text COLLATE "C" AS id) AS run LEFT JOIN runledger.run_index i ON i.run_id = run.id
  UNION ALL
  SELECT h.run_id, (i.summary -> 'parent' ->> 'runId') COLLATE "C", i.run_id IS NOT NULL, family.depth + 1
  FROM family JOIN runledger.run_heads h ON h.run_id = family.parent_id
  LEFT JOIN runledger.run_index i ON i.run_id = h.run_id
  WHERE family.depth < ${MAX_PARENTS}
)
SELECT run_id, is_known AND depth < ${MAX_PARENTS} FROM family`,
};

/** A fork of one of them that starts meanwhile waits, and then sees what has expired. */
const lock: Statement = {
  name: "expiry_lock",
  text: `
SELECT run_id, archived_at IS NOT NULL FROM runledger.run_heads
WHERE run_id = ANY ($1::text[]) ORDER BY run_id FOR UPDATE`,
};

const forks: Statement = {
  name: "expiry_forks",
  text: `
SELECT h.run_id FROM runledger.run_heads h
WHERE h.run_id IN (
  SELECT run_id FROM runledger.run_forks WHERE origin_id = ANY ($1::text[])
  UNION ALL
  SELECT run_id FROM runledger.run_snapshots WHERE header #>> '{fork,runId}' = ANY ($1::text[])
)
LIMIT 1`,
};

const expire: Statement = {
  name: "expiry_expire",
  text: `
INSERT INTO runledger.expired_artifacts (artifact_id, run_id, uri, description)
SELECT each ->> 'id', $1, each ->> 'uri', each -> 'description' FROM jsonb_array_elements($2::jsonb) AS each
ON CONFLICT (artifact_id) DO NOTHING`,
};

const checked: Statement = {
  name: "expiry_checked",
  text: `
UPDATE runledger.run_heads SET artifact_rules = $2,
  artifacts_at = coalesce(clock_timestamp() + $3::float8 * interval '1 ms', 'infinity')
WHERE run_id = $1`,
};

const COLUMNS = "run_id, uri, description, expired_at";

const ofRun: Statement = {
  name: "expiry_of_run",
  text: `SELECT ${COLUMNS} FROM runledger.expired_artifacts WHERE run_id = $1 ORDER BY artifact_id`,
};

/** "0" follows "/". */
const unswept: Statement = {
  name: "expiry_unswept",
  text: `
SELECT ${COLUMNS} FROM runledger.expired_artifacts
WHERE swept_at IS NULL AND uri > $1 || '/' AND uri < $1 || '0' ORDER BY uri LIMIT $2`,
};

const swept: Statement = {
  name: "expiry_swept",
  text: `
UPDATE runledger.expired_artifacts SET swept_at = clock_timestamp()
WHERE artifact_id = ANY ($1::text[]) AND swept_at IS NULL`,
};

const idOf = (uri: string): string => artifactIdOf(uri) ?? uri;

export function expiry(db: Database): ArtifactExpiry {
  return {
    listToExpire: async ({ tenantId, rules, limit = 100 }) =>
      (await db.read(due, [tenantId, rules, limit])).map(([runId]) => runId as string),
    expireArtifacts: (params) => db.transaction((session) => expireIn(session, params), { patient: true }),
    listExpired: async ({ runId }) => (await db.read(ofRun, [runId])).map(toExpired),
    listUnswept: async ({ location, limit = 100 }) => (await db.read(unswept, [location, limit])).map(toExpired),
    markSwept: async ({ uris }) => void (await db.write(swept, [uris.map(idOf)])),
  };
}

async function expireIn(
  session: Session,
  { runId, rules, nextInMs, artifacts }: Parameters<ArtifactExpiry["expireArtifacts"]>[0],
): Promise<ExpireOutcome> {
  const reason = await reasonToKeep(session, runId);
  if (reason === "absent") return { runId, expired: 0, reason };
  await session.run(checked, [runId, rules, reason === null ? nextInMs : BLOCKED_MS]);
  if (reason !== null) return { runId, expired: 0, reason };
  if (artifacts.length > 0) await session.run(expire, [runId, JSON.stringify(artifacts.map(toRow))]);
  return { runId, expired: artifacts.length };
}

async function reasonToKeep(session: Session, runId: string): Promise<NotExpired | null> {
  const rows = await session.run(family, [runId]);
  const ids = rows.map(([id]) => id as string);
  const archived = new Map((await session.run(lock, [ids])) as [string, boolean][]);
  if (!archived.has(runId)) return "absent";
  if (archived.get(runId) !== true) return "not-archived";
  if ([...archived.values()].includes(false)) return "child";
  if (rows.some(([id, isKnown]) => archived.has(id as string) && isKnown !== true)) return "unprojected";
  return (await session.run(forks, [ids])).length > 0 ? "forked" : null;
}

function toRow({ uri, runId: _, ...description }: StoredArtifact): object {
  return { id: idOf(uri), uri, description };
}

function toExpired([runId, uri, description, expiredAt]: Row): ExpiredArtifact {
  const stored = description as Omit<StoredArtifact, "uri" | "runId">;
  return { uri: uri as string, runId: runId as string, ...stored, expiredAt: expiredAt as string };
}
