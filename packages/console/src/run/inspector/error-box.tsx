import type { RunError } from "@runledger/contracts";

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
      </div>
      <pre>{error.message}</pre>
    </div>
  );
}
