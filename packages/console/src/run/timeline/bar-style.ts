import type { CSSProperties } from "react";
import { shareOf } from "../model/time-scale.js";
import type { RunView, ViewRow } from "../model/view.js";

type Time = RunView["time"];

/** Returns the position of a bar. Bars far outside of the axis are clipped, because browsers do not draw millions of pixels. */
export function barStyle(from: number, to: number, time: Time): CSSProperties {
  const start = Math.max(-0.1, Math.min(1.1, shareOf(from, time)));
  const end = Math.max(start, Math.min(1.1, shareOf(to, time)));
  return { left: `${start * 100}%`, width: `max(3px, ${(end - start) * 100}%)` };
}

/** Notes of this length fit into the gutter to the right of the track: `12 h 07 m`. */
const SHORT = 9;
/** If less than this fraction of the track is free, the note is drawn over the bars. */
const MIN_ROOM = { wide: 0.22, narrow: 0.5 } as const;

/**
 * Places the note of a row. A short note (a duration) always fits to the right of the last bar. A longer one goes to the side
 * with more room, clear of the line for queued time. If neither side has room, it is drawn over the end of the bars.
 */
export function noteStyle({ attempts, readyAt }: ViewRow, note: string, time: Time, isPhone: boolean): CSSProperties {
  const least = isPhone ? MIN_ROOM.narrow : MIN_ROOM.wide;
  const clamp = (share: number): number => Math.max(0, Math.min(1, share));
  const last = attempts.at(-1);
  const end = last === undefined ? 0 : clamp(shareOf(last.to ?? time.now, time));
  const start = clamp(shareOf(Math.min(readyAt ?? Infinity, attempts[0]?.from ?? time.from), time));
  if (note.length <= SHORT || 1 - end >= Math.max(start, least))
    return { left: `calc(${end * 100}% + 8px)`, maxWidth: `calc(${(1 - end) * 100}% + var(--gutter) - 8px)` };
  if (start >= least) return { right: `calc(${(1 - start) * 100}% + 8px)`, maxWidth: `calc(${start * 100}% - 16px)` };
  return { right: "calc(-1 * var(--gutter) + 8px)", maxWidth: isPhone ? "75%" : "50%", background: "var(--row)" };
}
