import { useState, type PointerEvent } from "react";
import { timeAt, type TimeScale } from "../model/time-scale.js";
import type { Stretch } from "../model/work-time.js";

/** A shorter drag counts as a click. */
const MIN_PIXELS = 6;

/** Selects a range of an axis by dragging. `brush` has fractions of the width, `onBrush` receives times. */
export function useBrush(scale: TimeScale, onBrush: (part: Stretch) => void) {
  const [drag, setDrag] = useState<{ readonly start: number; readonly end: number; readonly width: number } | null>(
    null,
  );
  const shareAt = (pixels: number, width: number): number => Math.max(0, Math.min(1, pixels / width));
  const brush =
    drag === null
      ? null
      : {
          from: shareAt(Math.min(drag.start, drag.end), drag.width),
          to: shareAt(Math.max(drag.start, drag.end), drag.width),
        };
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
      if (drag !== null && brush !== null && Math.abs(drag.end - drag.start) >= MIN_PIXELS && brush.to > brush.from)
        onBrush({ from: timeAt(brush.from, scale), to: timeAt(brush.to, scale) });
      setDrag(null);
    },
  };
}
