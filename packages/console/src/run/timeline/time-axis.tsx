import { duration } from "../../ui/format.js";
import { useNarrow } from "../../ui/narrow.js";
import type { RunView } from "../model/view.js";
import type { Zoom } from "../search.js";
import { shareOf } from "./place.js";
import { ticksFor } from "./ticks.js";
import { useBrush } from "./use-brush.js";
import { ZoomButtons } from "./zoom-buttons.js";

interface TimeAxisProps {
  readonly view: RunView;
  readonly zoom: Zoom | null;
  /** Null = the whole run. */
  readonly onZoom: (zoom: Zoom | null) => void;
}

/** So many marks have room for their words. */
const MOST_TICKS = 6;
const MOST_WHERE_NARROW = 3;

/** Says when; a part of it that is dragged over fills the screen. */
export function TimeAxis({ view: { time, whole, landmarks }, zoom, onZoom }: TimeAxisProps) {
  const shown = { from: time.from - whole.from, to: time.to - whole.from };
  const most = useNarrow() ? MOST_WHERE_NARROW : MOST_TICKS;
  const { brush, ...handlers } = useBrush(shown, onZoom);
  return (
    <div className="time-axis">
      <ZoomButtons shown={shown} isZoomed={zoom !== null} onZoom={onZoom} />
      <div className="axis-track" title="Drag over a part of the time to see it enlarged" {...handlers}>
        {ticksFor(shown.from, shown.to, most).map((at) => (
          <span key={at} className="tick" style={{ left: `${shareOf(at, shown) * 100}%` }}>
            {duration(at)}
          </span>
        ))}
        {landmarks.slice(-100).map(({ seq, at, note, type }) => (
          <span
            key={seq}
            className={`landmark ${type}`}
            title={`seq ${seq}: ${note}`}
            style={{ left: `${shareOf(at, time) * 100}%` }}
          />
        ))}
        {brush !== null && (
          <span
            className="brush"
            style={{
              left: `${shareOf(brush.from, shown) * 100}%`,
              width: `${((brush.to - brush.from) / (shown.to - shown.from)) * 100}%`,
            }}
          />
        )}
      </div>
    </div>
  );
}
