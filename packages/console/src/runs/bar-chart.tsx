/** A bar chart over time. Drag to select a range, or use the arrow keys and Enter to select one bar. */
import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { counted } from "../ui/format.js";
import { runLook } from "../ui/status.js";
import { BarTip } from "./bar-tip.js";
import { totals, type Bar, type Span } from "./histogram-bars.js";
import { runStatuses, type RunStatus } from "./search.js";
import { timeTicks } from "./time-ticks.js";

interface BarChartProps {
  /** `null` until the first response. */
  readonly span: Span | null;
  readonly bars: readonly Bar[];
  readonly whenEmpty: string;
  readonly onZoom: (span: Span) => void;
}

interface Drag {
  readonly from: number;
  readonly to: number;
}

const HEIGHT = 48;
/** The width of the viewBox. The SVG stretches to the available width. */
const WIDTH = 1000;
/** A shorter drag counts as a click. */
const MIN_DRAG = 0.01;

export function BarChart({ span, bars, whenEmpty, onZoom }: BarChartProps) {
  const area = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [marked, setMarked] = useState<string | null>(null);
  const most = Math.max(1, ...bars.map(({ total }) => total));
  const index = bars.findIndex(({ at }) => at === marked);
  const bar = bars[index] ?? null;
  const place = ({ clientX }: PointerEvent): number => {
    const { left, width } = area.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const finish = (): void => {
    setDrag(null);
    if (drag === null || span === null) return;
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    const at = (share: number): number => span.from + share * (span.to - span.from);
    if (to - from >= MIN_DRAG) onZoom({ from: at(from), to: at(to) });
  };
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined)
      setMarked(bars.at(index === -1 ? -1 : Math.min(bars.length - 1, Math.max(0, index + by)))?.at ?? null);
    else if (event.key === "Enter" && bar !== null) onZoom(bar.span);
    else return;
    event.preventDefault();
  };
  return (
    <div className="chart">
      <svg
        ref={area}
        className="bars"
        height={HEIGHT}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="slider"
        tabIndex={0}
        aria-label="Runs over time"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={Math.max(0, index)}
        aria-valuetext={bar === null ? totals(bars) : `${new Date(bar.at).toLocaleString("en-GB")}: ${totals([bar])}`}
        onKeyDown={press}
        onBlur={() => setMarked(null)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: place(event), to: place(event) });
        }}
        onPointerMove={(event) => {
          const at = place(event);
          if (drag !== null) setDrag({ ...drag, to: at });
          setMarked(bars.find(({ left, width }) => at >= left && at < left + width)?.at ?? null);
        }}
        onPointerLeave={() => setMarked(null)}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
      >
        {bar !== null && <rect className="marked" x={bar.left * WIDTH} width={bar.width * WIDTH} height={HEIGHT} />}
        {runStatuses.map((status) => (
          <path key={status} className={`fill-${runLook(status).tone}`} d={outline(bars, status, most)} />
        ))}
        {drag !== null && (
          <rect
            className="brush"
            x={Math.min(drag.from, drag.to) * WIDTH}
            width={Math.abs(drag.to - drag.from) * WIDTH}
            height={HEIGHT}
          />
        )}
      </svg>
      {bars.length === 0 && <p className="chart-note">{whenEmpty}</p>}
      {bars.length > 0 && <span className="chart-most">{counted(most, "run")}</span>}
      {span !== null && <Axis span={span} />}
      {bar !== null && drag === null && <BarTip bar={bar} />}
    </div>
  );
}

function Axis({ span }: { readonly span: Span }) {
  return (
    <div className="chart-axis" aria-hidden="true">
      {timeTicks(span).map(({ at, share, text }) => (
        <span key={at} style={{ left: `${share * 100}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}

/** Draws all bars of a status as one path, because a year has many bars. Bars are stacked in the order of statuses. */
function outline(bars: readonly Bar[], status: RunStatus, most: number): string {
  const scale = (count: number): number => Math.max(1, (count / most) * (HEIGHT - 2));
  return bars
    .map(({ parts, left, width }) => {
      const at = parts.findIndex((part) => part.status === status);
      if (at === -1) return "";
      const below = parts.slice(0, at).reduce((sum, { count }) => sum + scale(count), 0);
      const height = scale(parts[at]!.count);
      const [x, wide] = [(left + width * 0.08) * WIDTH, width * 0.84 * WIDTH];
      return `M${x.toFixed(2)} ${(HEIGHT - below - height).toFixed(2)}h${wide.toFixed(2)}v${height.toFixed(2)}h${(-wide).toFixed(2)}z`;
    })
    .join("");
}
