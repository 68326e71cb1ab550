import type { RunError } from "@runledger/contracts";
import { CopyButton } from "../../ui/copy-button.js";

interface ErrorBoxProps {
  readonly error: RunError;
  readonly culprit?: string | undefined;
  readonly onCulprit?: (stepId: string) => void;
}

export function ErrorBox({ error, culprit, onCulprit }: ErrorBoxProps) {
  return (
    <div className="error-box">
      <div className="row">
        <strong>{error.code}</strong>
        {culprit !== undefined && onCulprit !== undefined && (
          <button type="button" className="link" onClick={() => onCulprit(culprit)}>
            in {culprit}
          </button>
        )}
        <span className="grow" />
        <CopyButton label="Copy the error" text={() => `${error.code} ${error.message}`} />
      </div>
      <pre tabIndex={0} aria-label="What it said">
        {error.message}
      </pre>
    </div>
  );
}
