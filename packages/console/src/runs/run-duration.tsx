import type { RunSummary } from "@runledger/client";
import { duration } from "../ui/format.js";

interface RunDurationProps {
  readonly run: RunSummary;
  readonly now: number;
  /** What the workflow's runs usually take; undefined = not known. */
  readonly usualMs: number | undefined;
}

/** From half as long again on, it is worth a look. */
const LONG = 0.75;

/** The bar's middle is what the workflow usually takes. */
export function RunDuration({ run, now, usualMs }: RunDurationProps) {
  const ms = durationOf(run, now);
  if (ms === null) return <span className="number quiet">–</span>;
  const share = usualMs === undefined || usualMs === 0 ? null : Math.min(ms / (2 * usualMs), 1);
  return (
    <>
      <span className="number">{duration(ms)}</span>
      {share !== null && (
        <span className={`gauge ${share > LONG ? "long" : ""}`} title={`usually ${duration(usualMs!)}`}>
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
