import { artifactIdOf, type ArtifactRef, type StoredArtifact } from "@runledger/contracts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../api/client.js";
import { PreviewDialog } from "../../preview/preview-dialog.js";
import { artifactUrl } from "../../preview/source.js";
import { Button } from "../../ui/button.js";
import { bytes, dayAndTime } from "../../ui/format.js";

interface ArtifactListProps {
  readonly runId: string;
  /** Absent for the artifacts of the run as a whole. */
  readonly stepId?: string;
  readonly artifacts: readonly ArtifactRef[];
}

export function ArtifactList({ runId, stepId, artifacts }: ArtifactListProps) {
  const [shown, setShown] = useState<ArtifactRef | null>(null);
  const dates = useExpiry(runId, stepId, artifacts.length > 0);
  if (artifacts.length === 0) return <p className="quiet">No artifacts.</p>;
  return (
    <>
      <ul className="artifacts">
        {artifacts.map((artifact) => (
          <ArtifactItem
            key={artifact.uri}
            runId={runId}
            artifact={artifact}
            expiry={dates.get(artifact.uri) ?? {}}
            onPreview={artifact.kind === "log" ? null : () => setShown(artifact)}
          />
        ))}
      </ul>
      {shown !== null && <PreviewDialog runId={runId} artifact={shown} onClose={() => setShown(null)} />}
    </>
  );
}

type Expiry = Pick<StoredArtifact, "expiresAt" | "expiredAt">;

/** Policies change, so only the list of artifacts has these times, and events have not. */
function useExpiry(runId: string, stepId: string | undefined, enabled: boolean): ReadonlyMap<string, Expiry> {
  const { data } = useQuery({
    queryKey: ["artifacts", runId, stepId],
    queryFn: () => client.listArtifacts(runId, { limit: 200, ...(stepId !== undefined && { stepId }) }),
    enabled,
  });
  return new Map((data?.items ?? []).map((artifact) => [artifact.uri, artifact]));
}

function expiryText({ expiresAt, expiredAt }: Expiry): string | null {
  if (expiredAt !== undefined) return `Expired ${dayAndTime(expiredAt)}`;
  return expiresAt === undefined ? null : `Expires ${dayAndTime(expiresAt)}`;
}

interface ArtifactItemProps {
  readonly runId: string;
  readonly artifact: ArtifactRef;
  readonly expiry: Expiry;
  /** `null` if another tab shows the artifact. */
  readonly onPreview: (() => void) | null;
}

function ArtifactItem({ runId, artifact: { uri, kind, sizeBytes, sha256 }, expiry, onPreview }: ArtifactItemProps) {
  const id = expiry.expiredAt === undefined ? artifactIdOf(uri) : null;
  const text = expiryText(expiry);
  return (
    <li>
      <div className="row">
        <strong className="cut" title={kind}>
          {kind}
        </strong>
        <span className="grow" />
        {text !== null && <span className="quiet">{text}</span>}
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
