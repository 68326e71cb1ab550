/** What is shown where there is nothing to show: why, and what to do. */
import { ProblemError } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Glyph } from "./glyph.js";

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="message">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export function Loading({ label, lines = 6 }: { readonly label: string; readonly lines?: number }) {
  return (
    <div className="bones" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="bone" />
      ))}
    </div>
  );
}

/** Above what was known before: it could not be read again. */
export function StaleNotice({ error }: { readonly error: unknown }) {
  if (error === null) return null;
  return (
    <p className="notice stale-notice" role="status">
      <Glyph name="alert" /> {explain(error).title}. What is shown was read before, and is read again by itself.
    </p>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** The server's own words: they say what happened and what to do. */
export function Failure({ error, onRetry }: FailureProps) {
  const { title, detail, code, requestId } = explain(error);
  return (
    <div className="message" role="alert">
      <strong>{title}</strong>
      <p>{detail}</p>
      {code !== undefined && (
        <p className="quiet">
          <a href={`/api/docs/errors/${code}`}>
            <code>{code}</code>
          </a>
          {requestId !== "" && <> · request {requestId}</>}
        </p>
      )}
      {isMissing(error) && (
        <Link className="button" to="/runs" search={{}}>
          See the runs
        </Link>
      )}
      {onRetry !== undefined && !isMissing(error) && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface Explanation {
  readonly title: string;
  readonly detail: string;
  readonly code?: string;
  readonly requestId?: string;
}

export function explain(error: unknown): Explanation {
  if (!(error instanceof ProblemError))
    return { title: "This page broke", detail: error instanceof Error ? error.message : String(error) };
  const { code, title, detail, requestId } = error.problem;
  if (error.status === 0) return { title: "The server cannot be reached", detail: OFFLINE };
  return { title: MISSING[code] ?? title, detail, code, requestId };
}

/** What is looked for by its name. */
const MISSING: Readonly<Record<string, string>> = {
  RUN_NOT_FOUND: "There is no such run",
  WORKFLOW_NOT_FOUND: "There is no such workflow",
};

/** Asking again would not find it. */
function isMissing(error: unknown): boolean {
  return error instanceof ProblemError && MISSING[error.problem.code] !== undefined;
}

const OFFLINE = "Nothing that it has acknowledged is lost. This page goes on by itself when it answers again.";
