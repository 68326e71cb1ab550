import type { RunEvent } from "@runledger/client";
import type { RunError } from "@runledger/contracts";
import { duration, exactTime } from "../../ui/format.js";
import { Status } from "../../ui/status.js";
import { attemptsIn } from "./attempts-in.js";
import { ErrorBox } from "./error-box.js";

interface AttemptListProps {
  readonly events: readonly RunEvent[];
  readonly now: number;
  /** Of the step as it stands: an attempt that has not ended is that. */
  readonly status: string;
}

/** The newest first: it is what is looked for. */
export function AttemptList({ events, now, status }: AttemptListProps) {
  return (
    <ol className="attempts" reversed>
      {attemptsIn(events)
        .reverse()
        .map(({ number, started, ended, engineAttempt }) => {
          const { error, retryAt } = (ended?.eventData ?? {}) as { error?: RunError; retryAt?: string };
          const end = ended === undefined ? now : Date.parse(ended.emittedAt);
          const begin = started === undefined ? end : Date.parse(started.emittedAt);
          return (
            <li key={number} className="attempt">
              <div className="row">
                <span className="quiet">{number}</span>
                <Status of="step" status={ended === undefined ? status : (STATUS[ended.eventType] ?? "RUNNING")} />
                <span className="number">{duration(end - begin)}</span>
                <span className="grow" />
                {engineAttempt !== undefined && engineAttempt !== "1" && (
                  <span
                    className="badge"
                    title="So many times a worker took the run up: after a wait, or after another one was lost"
                  >
                    engine attempt {engineAttempt}
                  </span>
                )}
                <span className="quiet mono">{exactTime((started ?? ended)!.emittedAt)}</span>
              </div>
              {error !== undefined && <ErrorBox error={error} />}
              {retryAt !== undefined && <p className="quiet">tried again at {exactTime(retryAt)}</p>}
            </li>
          );
        })}
    </ol>
  );
}

const STATUS: Readonly<Record<string, string>> = {
  StepCompleted: "SUCCESS",
  StepFailed: "FAILED",
  StepSkipped: "SKIPPED",
};
