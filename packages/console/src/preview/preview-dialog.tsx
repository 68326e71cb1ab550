import { artifactIdOf } from "@runledger/contracts";
import { Button, buttonClass } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { lazyView } from "../ui/lazy-view.js";
import { artifactUrl, type PreviewProps } from "./source.js";

const PreviewContent = lazyView(() => import("./preview-content.js").then((module) => module.PreviewContent));

export function PreviewDialog({ runId, artifact, onClose }: PreviewProps & { readonly onClose: () => void }) {
  return (
    <Dialog
      title={artifact.kind}
      isWide
      onClose={onClose}
      footer={
        <>
          <a className={buttonClass()} href={artifactUrl(runId, artifactIdOf(artifact.uri)!)} download>
            Download
          </a>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <PreviewContent runId={runId} artifact={artifact} />
    </Dialog>
  );
}
