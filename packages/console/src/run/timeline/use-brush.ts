import { useState, type PointerEvent } from "react";
import type { Zoom } from "../search.js";

/** Less is a click that slipped. */
const LEAST_PIXELS = 6;

/** A part of an axis that is dragged over. `shown` is what the axis spans. */
export function useBrush(shown: Zoom, onBrush: (part: Zoom) => void) {
  const [drag, setDrag] = useState<{ readonly start: number; readonly end: number; readonly width: number } | null>(
    null,
  );
  const at = (pixels: number, width: number): number =>
    Math.round(shown.from + (Math.max(0, Math.min(width, pixels)) / width) * (shown.to - shown.from));
  const brush =
    drag === null
      ? null
      : { from: at(Math.min(drag.start, drag.end), drag.width), to: at(Math.max(drag.start, drag.end), drag.width) };
  return {
    brush,
    onPointerDown: ({ currentTarget, clientX, pointerId }: PointerEvent<HTMLElement>) => {
      const { left, width } = currentTarget.getBoundingClientRect();
      currentTarget.setPointerCapture(pointerId);
      setDrag({ start: clientX - left, end: clientX - left, width });
    },
    onPointerMove: ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
      if (drag !== null) setDrag({ ...drag, end: clientX - currentTarget.getBoundingClientRect().left });
    },
    onPointerUp: () => {
      if (drag !== null && brush !== null && Math.abs(drag.end - drag.start) >= LEAST_PIXELS && brush.to > brush.from)
        onBrush(brush);
      setDrag(null);
    },
  };
}
