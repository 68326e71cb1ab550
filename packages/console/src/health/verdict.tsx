import type { Health } from "@runledger/client";
import { counted, duration } from "../ui/format.js";
import { Glyph } from "../ui/glyph.js";

/** The answer to the first question, in one line. */
export function Verdict({ health }: { readonly health: Health }) {
  const { version, upSeconds, notReady } = health;
  const faults = faultsOf(health);
  return (
    <header className="verdict" data-verdict={faults.length === 0 ? "fine" : "faulty"}>
      <span className={faults.length === 0 ? "tone-good" : "tone-bad"}>
        <Glyph name={faults.length === 0 ? "done" : "failed"} size={20} />
      </span>
      <h1>{faults.length === 0 ? "Everything is fine" : `${counted(faults.length, "thing")} to look at`}</h1>
      <span className="quiet">
        Runledger {version}, up for {duration(upSeconds * 1000)}
      </span>
      {faults.length > 0 && (
        <ul className="faults">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
          {notReady.map(({ part, reason }) => (
            <li key={part}>
              {part}: {reason}
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

function faultsOf({ ready, store, projector, workers }: Health): readonly string[] {
  return [
    !ready && "The server is not ready to serve.",
    store.roundTripMs === null &&
      "The store does not answer. Nothing that was acknowledged is lost; look at the database.",
    workers.alive === 0 && "No worker is alive. Runs are queued until one is started: npx runledger worker",
    projector !== null &&
      projector.lagSeconds > 5 &&
      "Lists and snapshots are behind the log. They catch up by themselves; the log itself is complete.",
    projector !== null &&
      projector.staleRuns > 0 &&
      `${counted(projector.staleRuns, "run")} cannot be projected. Look for the alerts below.`,
  ].filter((fault) => typeof fault === "string");
}
