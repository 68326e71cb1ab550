import { duration } from "../../ui/format.js";
import type { AttemptSpan } from "../model/attempts.js";
import { barStyle } from "./bar-style.js";
import { isWait } from "./row-note.js";
import type { ContainerView, RunView, ViewRow } from "../model/view.js";

interface BarsProps {
  readonly row: ViewRow;
  readonly time: RunView["time"];
}

/** One bar per attempt. Earlier attempts are hatched, waits are dotted, and failed attempts end with a cross. */
export function Bars({ row, time }: BarsProps) {
  const { container } = row;
  if (container !== null && !container.isOpen && container.density.length > 0)
    return <Density density={container.density} tone={row.status === "SUCCESS" ? "good" : "busy"} />;
  const { attempts, readyAt } = row;
  return (
    <>
      {readyAt !== null && attempts.length > 0 && (
        <Pause from={readyAt} to={attempts[0]!.from} time={time} title="Queued" />
      )}
      {attempts.slice(1).map(({ number, from }, index) => (
        <Pause
          key={`before ${number}`}
          from={attempts[index]!.to ?? from}
          to={from}
          time={time}
          title="Waiting for next attempt"
        />
      ))}
      {attempts.map((attempt, index) => (
        <Bar key={attempt.number} attempt={attempt} row={row} time={time} isLast={index === attempts.length - 1} />
      ))}
    </>
  );
}

interface PauseProps {
  readonly from: number;
  readonly to: number;
  readonly time: RunView["time"];
  readonly title: string;
}

/** A thin line for the time in which the step was ready but did not run. */
function Pause({ from, to, time, title }: PauseProps) {
  return <span className="bar pause" title={`${title}: ${duration(to - from)}`} style={barStyle(from, to, time)} />;
}

interface BarProps extends BarsProps {
  readonly attempt: AttemptSpan;
  readonly isLast: boolean;
}

function Bar({ attempt, row, time, isLast }: BarProps) {
  const end = attempt.to ?? time.now;
  const classes = [
    "bar",
    attempt.outcome,
    isWait(row) && "waits",
    !isLast && "earlier",
    row.container !== null && "span",
  ];
  return (
    <span
      className={classes.filter(Boolean).join(" ")}
      data-attempt={attempt.number}
      title={`Attempt ${attempt.number}: ${WORDS[attempt.outcome]} ${duration(end - attempt.from)}`}
      style={barStyle(attempt.from, end, time)}
    />
  );
}

const WORDS: Readonly<Record<AttemptSpan["outcome"], string>> = {
  running: "running for",
  done: "succeeded after",
  failed: "failed after",
  skipped: "skipped after",
  lost: "lost after",
};

interface DensityProps {
  readonly density: ContainerView["density"];
  readonly tone: "good" | "busy";
}

/** All items of a closed container as one area: its height is the number of running items. */
function Density({ density, tone }: DensityProps) {
  const most = Math.max(1, ...density.map(({ active }) => active));
  return (
    <svg className="density" viewBox={`0 0 ${density.length} 16`} preserveAspectRatio="none" aria-hidden="true">
      <path className={`fill-${tone}`} d={areaOf(density.map(({ active }) => active / most))} />
      {density.map(({ failed }, slice) =>
        failed === 0 ? null : <rect key={slice} className="fill-bad" x={slice} width="1" y="0" height="4" />,
      )}
    </svg>
  );
}

function areaOf(shares: readonly number[]): string {
  const top = shares.map((share, slice) => {
    const y = share === 0 ? 16 : Math.min(12, 14 - share * 14);
    return `L${slice} ${y.toFixed(2)}L${slice + 1} ${y.toFixed(2)}`;
  });
  return `M0 16${top.join("")}L${shares.length} 16Z`;
}
