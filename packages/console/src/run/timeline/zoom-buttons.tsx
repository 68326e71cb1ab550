import { duration } from "../../ui/format.js";
import { Glyph } from "../../ui/glyph.js";
import type { Zoom } from "../search.js";

interface ZoomButtonsProps {
  /** What the axis spans, in milliseconds since the run was created. */
  readonly shown: Zoom;
  readonly isZoomed: boolean;
  readonly onZoom: (zoom: Zoom | null) => void;
}

/** Dragging needs a pointer; these do not. */
export function ZoomButtons({ shown, isZoomed, onZoom }: ZoomButtonsProps) {
  const by = (factor: number): void => {
    const middle = (shown.from + shown.to) / 2;
    const half = ((shown.to - shown.from) * factor) / 2;
    onZoom({ from: Math.max(0, Math.floor(middle - half)), to: Math.ceil(middle + half) });
  };
  return (
    <div className="zoom row">
      {isZoomed ? (
        <button type="button" className="link" data-key="0" onClick={() => onZoom(null)}>
          Whole run
        </button>
      ) : (
        <span className="quiet">Steps</span>
      )}
      <span className="grow" />
      {isZoomed && <span className="quiet number">{duration(shown.to - shown.from)}</span>}
      <button type="button" className="button plain tiny" aria-label="Zoom in" data-key="+" onClick={() => by(0.5)}>
        <Glyph name="plus" size={12} />
      </button>
      <button
        type="button"
        className="button plain tiny"
        aria-label="Zoom out"
        data-key="-"
        disabled={!isZoomed}
        onClick={() => by(2)}
      >
        <Glyph name="minus" size={12} />
      </button>
    </div>
  );
}
