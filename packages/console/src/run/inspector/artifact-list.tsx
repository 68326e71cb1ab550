import { STORE_SCHEME, type ArtifactRef } from "@runledger/contracts";
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
            {uri.startsWith(STORE_SCHEME) && (
              <a href={downloadUrl(runId, uri)} download>
                Download
              </a>
            )}
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

/** The server can return only artifacts in the store. Others are listed without a download link. */
function downloadUrl(runId: string, uri: string): string {
  const id = uri.slice(STORE_SCHEME.length);
  return `/api/v1/runs/${encodeURIComponent(runId)}/artifacts/${encodeURIComponent(id)}`;
}
