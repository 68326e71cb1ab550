import { artifactIdOf, type ArtifactRef } from "@runledger/contracts";
import { bytes } from "../../ui/format.js";

interface ArtifactListProps {
  readonly runId: string;
  readonly artifacts: readonly ArtifactRef[];
}

export function ArtifactList({ runId, artifacts }: ArtifactListProps) {
  if (artifacts.length === 0) return <p className="quiet">No artifacts.</p>;
  return (
    <ul className="artifacts">
      {artifacts.map(({ uri, kind, sizeBytes, sha256 }) => (
        <li key={uri}>
          <div className="row">
            <strong>{kind}</strong>
            <span className="grow" />
            {sizeBytes !== undefined && <span className="quiet">{bytes(sizeBytes)}</span>}
            <Download runId={runId} artifactId={artifactIdOf(uri)} />
          </div>
          <div className="mono quiet cut" title={uri}>
            {uri}
          </div>
          {sha256 !== undefined && (
            <div className="mono quiet cut" title={sha256}>
              sha256 {sha256}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

interface DownloadProps {
  readonly runId: string;
  readonly artifactId: string | null;
}

/** The server sends an artifact in the store, or redirects to the bucket. It does not know artifacts that others wrote. */
function Download({ runId, artifactId }: DownloadProps) {
  if (artifactId === null) return null;
  const href = `/api/v1/runs/${encodeURIComponent(runId)}/artifacts/${encodeURIComponent(artifactId)}`;
  return (
    <a href={href} download>
      Download
    </a>
  );
}
