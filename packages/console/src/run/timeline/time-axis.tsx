import type { CSSProperties } from "react";
import { duration } from "../../ui/format.js";
import { useIsPhone } from "../../ui/breakpoints.js";
import { shareOf } from "../model/time-scale.js";
import type { RunView } from "../model/view.js";
import type { Stretch } from "../model/work-time.js";
import type { Zoom } from "../search.js";
import { ticksFor } from "./ticks.js";
import { useBrush } from "./use-brush.js";
import { ZoomButtons } from "./zoom-buttons.js";

interface TimeAxisProps {
  readonly view: RunView;
  readonly zoom: Zoom | null;
  /** `null` shows the whole run. */
  readonly onZoom: (zoom: Zoom | null) => void;
}

const MAX_TICKS = 6;
const MAX_TICKS_ON_PHONE = 3;

/** The time axis. Dragging across a range zooms to it. */
export function TimeAxis({ view: { time, whole, landmarks }, zoom, onZoom }: TimeAxisProps) {
  const max = useIsPhone() ? MAX_TICKS_ON_PHONE : MAX_TICKS;
  const zoomTo = ({ from, to }: Stretch): void =>
    onZoom({ from: Math.max(0, Math.round(from - whole.from)), to: Math.round(to - whole.from) });
  const { brush, ...handlers } = useBrush(time, zoomTo);
  return (
    <div className="time-axis">
      <ZoomButtons scale={time} isZoomed={zoom !== null} onZoom={zoomTo} onReset={() => onZoom(null)} />
      <div className="axis-track" title="Drag across a time range to zoom in" {...handlers}>
        {time.parts.map(({ from, to, left, right, isShortened }) =>
          isShortened ? (
            <span key={from} className="idle-label cut" title={idleTitle(to - from)} style={percent(left, right)}>
              {duration(to - from)} idle
            </span>
          ) : null,
        )}
        {ticksFor(time, whole.from, max).map(({ share, text }) => (
          <span key={text} className="tick" style={{ left: `${share * 100}%` }}>
            {text}
          </span>
        ))}
        {landmarks
          .filter(({ at }) => at >= time.from && at <= time.to)
          .slice(-100)
          .map(({ seq, at, note, type }) => (
            <span
              key={seq}
              className={`landmark ${type}`}
              title={`seq ${seq}: ${note}`}
              style={{ left: `${shareOf(at, time) * 100}%` }}
            />
          ))}
        {brush !== null && <span className="brush" style={percent(brush.from, brush.to)} />}
      </div>
    </div>
  );
}

function idleTitle(ms: number): string {
  return `No step worked for ${duration(ms)}. This time is drawn shorter than it was; drag across it to zoom in.`;
}

/** The position of a part of the axis. */
export function percent(left: number, right: number): CSSProperties {
  return { left: `${left * 100}%`, width: `${(right - left) * 100}%` };
}
