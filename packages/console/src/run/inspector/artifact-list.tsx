import type { ArtifactRef } from "@runledger/contracts";
import { bytes } from "../../ui/format.js";

export function ArtifactList({ artifacts }: { readonly artifacts: readonly ArtifactRef[] }) {
  if (artifacts.length === 0) return <p className="quiet">There are none.</p>;
  return (
    <ul className="artifacts">
      {artifacts.map(({ uri, kind, sizeBytes, sha256 }) => (
        <li key={uri}>
          <div className="row">
            <strong>{kind}</strong>
            <span className="grow" />
            {sizeBytes !== undefined && <span className="quiet">{bytes(sizeBytes)}</span>}
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
