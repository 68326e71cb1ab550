/** Finds an artifact by the id in its address. */
import {
  artifactIdOf,
  readEventData,
  type ArtifactPort,
  type StoredArtifact,
  type TenantStore,
} from "@runledger/contracts";

/** A fork of a fork of … has at most as many origins. */
const MAX_ORIGINS = 20;

/** Searches the run, and the runs that it was forked from: the steps that it kept refer to their artifacts. */
export async function findArtifact(
  log: Pick<TenantStore, "fetchEvents">,
  port: ArtifactPort,
  { runId, artifactId }: { readonly runId: string; readonly artifactId: string },
): Promise<StoredArtifact | undefined> {
  let at: string | undefined = runId;
  for (let origins = 0; at !== undefined && origins <= MAX_ORIGINS; origins++) {
    const found = await findIn(port, at, artifactId);
    if (found !== undefined) return found;
    at = await originOf(log, at);
  }
  return undefined;
}

/** The page starts just before the id in sort order, so it can be short. */
async function findIn(port: ArtifactPort, runId: string, id: string): Promise<StoredArtifact | undefined> {
  const afterId = id.slice(0, -1);
  const siblings = await port.list({ runId, ...(afterId !== "" && { afterId }), limit: 50 });
  return siblings.find(({ uri }) => artifactIdOf(uri) === id);
}

async function originOf(log: Pick<TenantStore, "fetchEvents">, runId: string): Promise<string | undefined> {
  const [first] = await log.fetchEvents(runId, { limit: 1 });
  return first?.eventType === "RunQueued" ? readEventData("RunQueued", first.eventData).fork?.runId : undefined;
}
