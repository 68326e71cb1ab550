/** The artifact that a preview reads, and its address at the server. */
import { type ArtifactRef } from "@runledger/contracts";

export interface PreviewProps {
  readonly runId: string;
  readonly artifact: ArtifactRef;
}

export function artifactUrl(runId: string, artifactId: string): string {
  return `/api/v1/runs/${encodeURIComponent(runId)}/artifacts/${encodeURIComponent(artifactId)}`;
}
