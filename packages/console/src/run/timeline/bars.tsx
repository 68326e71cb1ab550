import { duration } from "../../ui/format.js";
import type { Attempt } from "../model/attempts.js";
import type { ContainerView, RunView, ViewRow } from "../model/view.js";

interface BarsProps {
  readonly row: ViewRow;
  readonly time: RunView["time"];
}

/** Retries are hatched, waits dotted; what failed has a cross at its end. */
export function Bars({ row, time }: BarsProps) {
  const { container } = row;
  if (container !== null && !container.isOpen && container.density.length > 0)
    return <Density density={container.density} />;
  return (
    <>
      {row.attempts.map((attempt, index) => (
        <Bar key={attempt.number} attempt={attempt} row={row} time={time} isLast={index === row.attempts.length - 1} />
      ))}
    </>
  );
}

interface BarProps extends BarsProps {
  readonly attempt: Attempt;
  readonly isLast: boolean;
}

function Bar({ attempt, row, time, isLast }: BarProps) {
  const length = time.to - time.from;
  const end = attempt.to ?? time.now;
  const left = ((attempt.from - time.from) / length) * 100;
  const width = (Math.max(0, end - attempt.from) / length) * 100;
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
      style={{ left: `${left}%`, width: `max(3px, ${width}%)` }}
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

/** Ten thousand items as one strip: the more were under way, the darker. */
function Density({ density }: { readonly density: ContainerView["density"] }) {
  const most = Math.max(1, ...density.map(({ active }) => active));
  return (
    <svg className="density" viewBox={`0 0 ${density.length} 16`} preserveAspectRatio="none" aria-hidden="true">
      <path className="density-active" d={areaOf(density.map(({ active }) => active / most))} />
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
