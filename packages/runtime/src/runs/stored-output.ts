/** Reads outputs that are in artifacts, because events cannot hold them (P9). */
import { DEFAULT_TENANT, InputError, type ArtifactRef, type Json, type StateStore } from "@runledger/contracts";
import { artifactPort } from "../artifacts/artifact-port.js";
import { readOutput } from "../artifacts/output-artifact.js";

/** Reads as the tenant of the run, so that an event cannot name an artifact of another tenant. */
export async function readStoredOutput(
  { store, runId }: { readonly store: StateStore; readonly runId: string },
  ref: ArtifactRef,
): Promise<Json> {
  const [head] = await store.fetchHeads([runId]);
  const { artifacts } = store.forTenant(head?.tenantId ?? DEFAULT_TENANT);
  if (artifacts === undefined) throw notFound(ref);
  return readOutput(
    artifactPort(() => artifacts),
    ref,
  );
}

function notFound({ uri }: ArtifactRef): InputError {
  return new InputError("ARTIFACT_NOT_FOUND", uri, "it holds an output, and this store keeps no artifacts.");
}
