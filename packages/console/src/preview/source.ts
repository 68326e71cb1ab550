/** The artifact that a preview reads, and its address at the server. */
import { STORE_SCHEME, type ArtifactRef } from "@runledger/contracts";

export interface PreviewProps {
  readonly runId: string;
  readonly artifact: ArtifactRef;
}

/** The server can read only artifacts in the store. */
export function artifactIn(uri: string): string | null {
  return uri.startsWith(STORE_SCHEME) ? uri.slice(STORE_SCHEME.length) : null;
}

export function artifactUrl(runId: string, artifactId: string): string {
  return `/api/v1/runs/${encodeURIComponent(runId)}/artifacts/${encodeURIComponent(artifactId)}`;
}
