import type { Health } from "@runledger/client";
import { counted, duration } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

interface HealthSummaryProps {
  readonly health: Health;
  /** `false` if the last request failed, so that `health` is out of date. */
  readonly isReachable: boolean;
}

export function HealthSummary({ health, isReachable }: HealthSummaryProps) {
  const { version, upSeconds, notReady } = health;
  const faults = isReachable ? faultsOf(health) : [UNREACHABLE];
  return (
    <header className="health-summary" data-health={faults.length === 0 ? "healthy" : "unhealthy"}>
      <span className={faults.length === 0 ? "tone-good" : "tone-bad"}>
        <Icon name={faults.length === 0 ? "done" : "failed"} size={20} />
      </span>
      <h1>{faults.length === 0 ? "Healthy" : counted(faults.length, "problem")}</h1>
      <span className="quiet">
        Runledger {version}, up for {duration(upSeconds * 1000)}
      </span>
      {faults.length > 0 && (
        <ul className="faults">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
          {(isReachable ? notReady : []).map(({ part, reason }) => (
            <li key={part}>
              {part}: {reason}
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

const UNREACHABLE = "The server is not responding. The values below are the last known ones.";

function faultsOf({ ready, store, projector, workers }: Health): readonly string[] {
  return [
    !ready && "The server is not ready.",
    store.roundTripMs === null && "The store is not responding. Acknowledged data is not lost. Check the database.",
    workers.alive === 0 && "No worker is alive. Runs stay queued until you start one: npx runledger worker",
    projector !== null &&
      projector.lagSeconds > 5 &&
      "Lists and snapshots are behind the log and are catching up. The log itself is complete.",
    projector !== null &&
      projector.staleRuns > 0 &&
      `${counted(projector.staleRuns, "run")} cannot be projected. See the alerts.`,
  ].filter((fault) => typeof fault === "string");
}
