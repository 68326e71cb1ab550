/** Empty, loading, stale and error states. Each one tells the user what happened and what to do next. */
import { ProblemError } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isUnreachable } from "../unreachable.js";
import { Button, buttonClass } from "./button.js";
import { Icon } from "./icon.js";

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

/** Shown above data that could not be refreshed. */
export function StaleNotice({ error }: { readonly error: unknown }) {
  if (error === null) return null;
  return (
    <p className="notice stale-notice" role="status">
      <Icon name="alert" /> {explain(error).title}. Showing the last known data; retrying automatically.
    </p>
  );
}

/** Shown above a run whose log has lost events. */
export function DamageNotice({ damage }: { readonly damage: string }) {
  return (
    <p className="notice bad" role="alert">
      <Icon name="alert" />
      <span>
        {damage} The page shows the run up to the gap, and workers execute nothing more of it.{" "}
        <a href="/api/docs/errors/LOG_GAP">What to do</a>
      </span>
    </p>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

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
        <Link className={buttonClass()} to="/runs" search={{}}>
          View runs
        </Link>
      )}
      {onRetry !== undefined && !isMissing(error) && <Button onClick={onRetry}>Retry</Button>}
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
  if (isUnreachable(error)) return { title: "Cannot reach the server", detail: OFFLINE };
  if (!(error instanceof ProblemError))
    return { title: "This page failed to load", detail: error instanceof Error ? error.message : String(error) };
  const { code, title, detail, requestId } = error.problem;
  return { title: MISSING[code] ?? title, detail, code, requestId };
}

const MISSING: Readonly<Record<string, string>> = {
  RUN_NOT_FOUND: "Run not found",
  WORKFLOW_NOT_FOUND: "Workflow not found",
};

/** A retry would not find it. */
function isMissing(error: unknown): boolean {
  return error instanceof ProblemError && MISSING[error.problem.code] !== undefined;
}

const OFFLINE = "This page reconnects automatically. Acknowledged data is not lost.";
