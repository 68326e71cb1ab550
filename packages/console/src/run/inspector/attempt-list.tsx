import type { RunEvent } from "@runledger/client";
import type { StepFailedData } from "@runledger/contracts";
import { duration, exactTime } from "../../ui/format.js";
import { Status } from "../../ui/status.js";
import { attemptsIn } from "./attempts-in.js";
import { ChildLink, childRunOf } from "./child-run.js";
import { ErrorBox } from "./error-box.js";

interface AttemptListProps {
  readonly events: readonly RunEvent[];
  readonly now: number;
  /** The current status of the step, for an attempt that has not finished. */
  readonly status: string;
  /** The reason why the step was cancelled: `by NAME`. `null` if it is not known. */
  readonly reason: string | null;
}

/** Newest attempt first. */
export function AttemptList({ events, now, status, reason }: AttemptListProps) {
  return (
    <ol className="attempts" reversed>
      {attemptsIn(events)
        .reverse()
        .map(({ number, started, ended, engineAttempt }) => {
          const { error, stack, cause, retryAt } = (ended?.eventData ?? {}) as Partial<StepFailedData>;
          const end = ended === undefined ? now : Date.parse(ended.emittedAt);
          const childRunId = started === undefined ? null : childRunOf(started);
          const start = started === undefined ? end : Date.parse(started.emittedAt);
          return (
            <li key={number} className="attempt">
              <div className="row">
                <span className="quiet">{number}</span>
                <Status of="step" status={statusOf(ended, status)} />
                <span className="number">{duration(end - start)}</span>
                <span className="grow" />
                {engineAttempt !== undefined && engineAttempt !== "1" && (
                  <span className="badge" title="Times a worker picked up this run (after a wait or a lost worker)">
                    engine attempt {engineAttempt}
                  </span>
                )}
                <span className="quiet mono">{exactTime((started ?? ended)!.emittedAt)}</span>
              </div>
              {childRunId !== null && <ChildLink runId={childRunId} />}
              {error?.code === "CANCELLED" && reason !== null && <p className="quiet">cancelled {reason}</p>}
              {error !== undefined && error.code !== "CANCELLED" && (
                <ErrorBox error={error} stack={stack} cause={cause} />
              )}
              {retryAt !== undefined && <p className="quiet">retry scheduled at {exactTime(retryAt)}</p>}
            </li>
          );
        })}
    </ol>
  );
}

function statusOf(ended: RunEvent | undefined, current: string): string {
  if (ended === undefined) return current;
  const { error } = (ended.eventData ?? {}) as Partial<StepFailedData>;
  return error?.code === "CANCELLED" ? "CANCELLED" : (STATUS[ended.eventType] ?? "RUNNING");
}

const STATUS: Readonly<Record<string, string>> = {
  StepCompleted: "SUCCESS",
  StepFailed: "FAILED",
  StepSkipped: "SKIPPED",
};
