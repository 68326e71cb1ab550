/** Expiry of artifacts (A8). */
import {
  STORE_SCHEME,
  type ArtifactExpiry,
  type ExpireOutcome,
  type NotExpired,
  type StoredArtifact,
} from "@runledger/contracts";
import { isForked, parentOf } from "./delete-run.js";
import { compareIds } from "./heads.js";
import type { Tables } from "./tables.js";

const BLOCKED_MS = 3_600_000;

export function expiry(tables: Tables): ArtifactExpiry {
  const { expired } = tables.retention;
  return {
    listToExpire: async ({ tenantId, rules, limit = 100 }) => listToExpire(tables, tenantId, rules).slice(0, limit),
    expireArtifacts: async (params) => expireArtifacts(tables, params),
    listExpired: async ({ runId }) =>
      [...expired.values()]
        .filter((artifact) => artifact.runId === runId)
        .map(({ isSwept: _, ...artifact }) => artifact)
        .sort((a, b) => compareIds(a.uri, b.uri)),
    listUnswept: async ({ location, limit = 100 }) =>
      [...expired.values()]
        .filter(({ uri, isSwept }) => !isSwept && uri.startsWith(`${location}/`))
        .map(({ isSwept: _, ...artifact }) => artifact)
        .slice(0, limit),
    markSwept: async ({ uris }) => {
      for (const uri of uris) if (expired.has(uri)) expired.get(uri)!.isSwept = true;
    },
  };
}

function listToExpire(tables: Tables, tenantId: string, rules: string): string[] {
  const { checked } = tables.retention;
  const isDue = (runId: string): boolean => {
    const last = checked.get(runId);
    return last === undefined || last.rules !== rules || last.at <= tables.now();
  };
  return [...tables.runs.values()]
    .filter((run) => run.archived && run.tenantId === tenantId && isDue(run.runId))
    .map(({ runId }) => runId);
}

function expireArtifacts(
  tables: Tables,
  { runId, rules, nextInMs, artifacts }: Parameters<ArtifactExpiry["expireArtifacts"]>[0],
): ExpireOutcome {
  const reason = reasonToKeep(tables, runId);
  const inMs = reason === null ? (nextInMs ?? Infinity) : BLOCKED_MS;
  if (reason !== "absent") tables.retention.checked.set(runId, { rules, at: tables.now() + inMs });
  if (reason !== null) return { runId, expired: 0, reason };
  for (const artifact of artifacts) expire(tables, artifact);
  return { runId, expired: artifacts.length };
}

function expire(tables: Tables, artifact: StoredArtifact): void {
  const { uri } = artifact;
  const expiredAt = new Date(tables.now()).toISOString();
  tables.retention.expired.set(uri, { ...artifact, expiredAt, isSwept: uri.startsWith(STORE_SCHEME) });
  const stored = tables.artifacts.get(uri);
  if (stored === undefined) return;
  stored.chunks.length = 0;
  stored.stored = { ...stored.stored, expiredAt };
}

/** The run, its parent, the parent of that, and so on: a fork of any of them may refer to its artifacts. */
function reasonToKeep(tables: Tables, runId: string): NotExpired | null {
  if (!tables.runs.has(runId)) return "absent";
  for (let at: string | undefined = runId; at !== undefined && tables.runs.has(at); at = parentOf(tables, at)) {
    if (!tables.runs.get(at)!.archived) return at === runId ? "not-archived" : "child";
    if (!tables.projections.has(at)) return "unprojected";
    if (isForked(tables, at)) return "forked";
  }
  return null;
}
