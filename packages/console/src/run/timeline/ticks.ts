import { duration } from "../../ui/format.js";
import { shareOf, type TimeScale } from "../model/time-scale.js";

const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  [1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  [1, 2, 5, 10, 30, 100].map((days) => days * 86_400_000),
);

/** The free width around a tick, as a fraction of the distance between ticks. */
const ROOM = 0.7;

export interface Tick {
  /** The position as a fraction of the width. */
  readonly share: number;
  readonly text: string;
}

/** Returns round offsets from `start`, the creation of the run. Shortened parts of the axis have no ticks. */
export function ticksFor(scale: TimeScale, start: number, max: number): readonly Tick[] {
  const even = scale.parts.filter(({ isShortened }) => !isShortened);
  const msPerWidth = Math.max(...even.map(({ from, to, left, right }) => (to - from) / (right - left)));
  const distance = NICE.find((one) => msPerWidth / one <= max) ?? msPerWidth;
  const ticks: Tick[] = [];
  for (const { from, to, right } of even)
    for (let at = Math.ceil((from - start) / distance) * distance; at < to - start; at += distance) {
      const share = shareOf(start + at, scale);
      const isFree = share - (ticks.at(-1)?.share ?? -1) >= ROOM / max && (right === 1 || right - share >= ROOM / max);
      if (isFree) ticks.push({ share, text: duration(at) });
    }
  return ticks;
}
