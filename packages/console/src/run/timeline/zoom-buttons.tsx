import { Button } from "../../ui/button.js";
import { duration } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { timeAt, type TimeScale } from "../model/time-scale.js";
import type { Stretch } from "../model/work-time.js";

interface ZoomButtonsProps {
  /** The visible range. */
  readonly scale: TimeScale;
  readonly isZoomed: boolean;
  readonly onZoom: (part: Stretch) => void;
  /** Shows the whole run. */
  readonly onReset: () => void;
}

/** Zooms without a pointer. */
export function ZoomButtons({ scale, isZoomed, onZoom, onReset }: ZoomButtonsProps) {
  const { from, to } = scale;
  const half = (to - from) / 2;
  return (
    <div className="zoom row">
      {isZoomed ? (
        <Button variant="link" data-key="0" onClick={onReset}>
          Whole run
        </Button>
      ) : (
        <span className="quiet">Steps</span>
      )}
      <span className="grow" />
      {isZoomed && <span className="quiet number">{duration(to - from)}</span>}
      <Button
        variant="plain"
        size="tiny"
        aria-label="Zoom in"
        data-key="+"
        onClick={() => onZoom({ from: timeAt(0.25, scale), to: Math.ceil(timeAt(0.75, scale)) })}
      >
        <Icon name="plus" size={12} />
      </Button>
      <Button
        variant="plain"
        size="tiny"
        aria-label="Zoom out"
        data-key="-"
        disabled={!isZoomed}
        onClick={() => onZoom({ from: from - half, to: to + half })}
      >
        <Icon name="minus" size={12} />
      </Button>
    </div>
  );
}
