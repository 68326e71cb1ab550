import { duration } from "../../ui/format.js";
import type { Attempt } from "../model/attempts.js";
import { barStyle } from "./place.js";
import type { ContainerView, RunView, ViewRow } from "../model/view.js";

interface BarsProps {
  readonly row: ViewRow;
  readonly time: RunView["time"];
}

/** Earlier tries are hatched, waits dotted; what failed has a cross at its end. */
export function Bars({ row, time }: BarsProps) {
  const { container } = row;
  if (container !== null && !container.isOpen && container.density.length > 0)
    return <Density density={container.density} tone={row.status === "SUCCESS" ? "good" : "busy"} />;
  const { attempts, readyAt } = row;
  return (
    <>
      {readyAt !== null && attempts.length > 0 && (
        <Pause from={readyAt} to={attempts[0]!.from} time={time} title="queued" />
      )}
      {attempts.slice(1).map(({ number, from }, index) => (
        <Pause
          key={`before ${number}`}
          from={attempts[index]!.to ?? from}
          to={from}
          time={time}
          title="until the next try"
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

/** A thin line: it could have gone on, and did not. */
function Pause({ from, to, time, title }: PauseProps) {
  return <span className="bar pause" title={`${title}: ${duration(to - from)}`} style={barStyle(from, to, time)} />;
}

interface BarProps extends BarsProps {
  readonly attempt: Attempt;
  readonly isLast: boolean;
}

function Bar({ attempt, row, time, isLast }: BarProps) {
  const end = attempt.to ?? time.now;
  const isWaiting = row.status === "WAITING" && attempt.to === null;
  const classes = [
    "bar",
    attempt.outcome,
    isWaiting && "waits",
    !isLast && "earlier",
    row.container !== null && "span",
  ];
  return (
    <span
      className={classes.filter(Boolean).join(" ")}
      data-attempt={attempt.number}
      title={`attempt ${attempt.number}: ${WORDS[attempt.outcome]} after ${duration(end - attempt.from)}`}
      style={barStyle(attempt.from, end, time)}
    />
  );
}

const WORDS: Readonly<Record<Attempt["outcome"], string>> = {
  running: "under way",
  done: "succeeded",
  failed: "failed",
  skipped: "skipped",
  lost: "lost",
};

interface DensityProps {
  readonly density: ContainerView["density"];
  readonly tone: "good" | "busy";
}

/** Ten thousand items as one strip: the more were under way, the higher. */
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
