import type { RunSummary } from "@runledger/client";
import { duration } from "../ui/format.js";

interface RunDurationProps {
  readonly run: RunSummary;
  readonly now: number;
  /** The median duration of the workflow's runs. `undefined` if it is not known. */
  readonly medianMs: number | undefined;
}

/** Runs that take 1.5 times the median or longer are highlighted. */
const LONG = 0.75;

/** The middle of the gauge is the median duration of the workflow. */
export function RunDuration({ run, now, medianMs }: RunDurationProps) {
  const ms = durationOf(run, now);
  if (ms === null) return <span className="number quiet">–</span>;
  const share = medianMs === undefined || medianMs === 0 ? null : Math.min(ms / (2 * medianMs), 1);
  return (
    <>
      <span className="number">{duration(ms)}</span>
      {share !== null && (
        <span className={`gauge ${share > LONG ? "long" : ""}`} title={`median ${duration(medianMs!)}`}>
          <span style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </>
  );
}

function durationOf({ totalDurationMs, startedAt, completedAt }: RunSummary, now: number): number | null {
  if (totalDurationMs !== undefined) return totalDurationMs;
  if (startedAt === undefined) return null;
  return (completedAt === undefined ? now : Date.parse(completedAt)) - Date.parse(startedAt);
}
