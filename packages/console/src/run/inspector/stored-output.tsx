import { artifactIdOf, type ArtifactRef } from "@runledger/contracts";
import { useState } from "react";
import { artifactUrl } from "../../preview/source.js";
import { Button } from "../../ui/button.js";
import { bytes } from "../../ui/format.js";
import { JsonView } from "../../ui/json-view.js";

interface StoredOutputProps {
  readonly runId: string;
  readonly artifact: ArtifactRef;
  /** `undefined` if it is too large to show, or if the artifact cannot be read. */
  readonly output: unknown;
}

/** An output that is kept as an artifact. It is shown on request, because it is large. */
export function StoredOutput({ runId, artifact: { uri, sizeBytes }, output }: StoredOutputProps) {
  const [isShown, setShown] = useState(false);
  const id = artifactIdOf(uri);
  return (
    <>
      <div className="row">
        <span>{sizeBytes === undefined ? "Large output" : `Large output, ${bytes(sizeBytes)}`}</span>
        <span className="grow" />
        {output !== undefined && !isShown && (
          <Button variant="link" onClick={() => setShown(true)}>
            Preview
          </Button>
        )}
        {id !== null && (
          <a href={artifactUrl(runId, id)} download>
            Download
          </a>
        )}
      </div>
      {isShown && <JsonView value={output} whenAbsent="The output cannot be read." />}
    </>
  );
}
