import type { ErrorCause, RunError } from "@runledger/contracts";
import { Button } from "../../ui/button.js";
import { CopyButton } from "../../ui/copy-button.js";
import { causesIn, errorText } from "./error-text.js";

interface ErrorBoxProps {
  readonly error: RunError;
  readonly stack?: string | undefined;
  readonly cause?: ErrorCause | undefined;
  readonly culprit?: string | undefined;
  readonly onCulprit?: (stepId: string) => void;
}

export function ErrorBox({ error, stack, cause, culprit, onCulprit }: ErrorBoxProps) {
  return (
    <div className="error-box">
      <div className="row">
        <strong>{error.code}</strong>
        {culprit !== undefined && onCulprit !== undefined && (
          <Button variant="link" onClick={() => onCulprit(culprit)}>
            in {culprit}
          </Button>
        )}
        <span className="grow" />
        <CopyButton label="Copy error" text={() => errorText(error, stack, cause)} />
      </div>
      <pre tabIndex={0} aria-label="Error message">
        {error.message}
      </pre>
      {stack !== undefined && <Stack text={stack} />}
      {causesIn(cause).map(({ code, message, stack: frames }, place) => (
        <div key={place} className="error-cause">
          <p>
            <span className="quiet">caused by</span> {code !== undefined && <strong>{code}</strong>} {message}
          </p>
          {frames !== undefined && <Stack text={frames} />}
        </div>
      ))}
    </div>
  );
}

function Stack({ text }: { readonly text: string }) {
  return (
    <details>
      <summary>Stack trace</summary>
      <pre tabIndex={0} aria-label="Stack trace" className="stack">
        {text}
      </pre>
    </details>
  );
}
