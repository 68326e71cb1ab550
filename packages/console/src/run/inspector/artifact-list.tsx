import { artifactIdOf, type ArtifactRef } from "@runledger/contracts";
import { useState } from "react";
import { PreviewDialog } from "../../preview/preview-dialog.js";
import { artifactUrl } from "../../preview/source.js";
import { Button } from "../../ui/button.js";
import { bytes } from "../../ui/format.js";

interface ArtifactListProps {
  readonly runId: string;
  readonly artifacts: readonly ArtifactRef[];
}

export function ArtifactList({ runId, artifacts }: ArtifactListProps) {
  const [shown, setShown] = useState<ArtifactRef | null>(null);
  if (artifacts.length === 0) return <p className="quiet">No artifacts.</p>;
  return (
    <>
      <ul className="artifacts">
        {artifacts.map((artifact) => (
          <ArtifactItem
            key={artifact.uri}
            runId={runId}
            artifact={artifact}
            onPreview={artifact.kind === "log" ? null : () => setShown(artifact)}
          />
        ))}
      </ul>
      {shown !== null && <PreviewDialog runId={runId} artifact={shown} onClose={() => setShown(null)} />}
    </>
  );
}

interface ArtifactItemProps {
  readonly runId: string;
  readonly artifact: ArtifactRef;
  /** `null` if another tab shows the artifact. */
  readonly onPreview: (() => void) | null;
}

function ArtifactItem({ runId, artifact: { uri, kind, sizeBytes, sha256 }, onPreview }: ArtifactItemProps) {
  const id = artifactIdOf(uri);
  return (
    <li>
      <div className="row">
        <strong className="cut" title={kind}>
          {kind}
        </strong>
        <span className="grow" />
        {sizeBytes !== undefined && <span className="quiet">{bytes(sizeBytes)}</span>}
        {id !== null && onPreview !== null && (
          <Button variant="link" aria-label={`Preview ${kind}`} onClick={onPreview}>
            Preview
          </Button>
        )}
        {id !== null && (
          <a href={artifactUrl(runId, id)} download>
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
  );
}
