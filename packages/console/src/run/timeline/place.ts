import type { CSSProperties } from "react";
import type { RunView, ViewRow } from "../model/view.js";

type Time = RunView["time"];

/** Where a moment is on the axis; 0 and 1 are its ends. */
export function shareOf(at: number, { from, to }: Pick<Time, "from" | "to">): number {
  return (at - from) / (to - from);
}

/** Of something that lasts. What is far outside is cut: browsers do not draw bars of a million pixels. */
export function barStyle(from: number, to: number, time: Time): CSSProperties {
  const begin = Math.max(-0.1, Math.min(1.1, shareOf(from, time)));
  const end = Math.max(begin, Math.min(1.1, shareOf(to, time)));
  return { left: `${begin * 100}%`, width: `max(3px, ${(end - begin) * 100}%)` };
}

/** So many characters fit into the gutter on the right of the track: `12 h 07 m`. */
const SHORT = 9;
/** With less of the track than this beside the bars, words are better off upon them. */
const LEAST_ROOM = { wide: 0.22, narrow: 0.5 } as const;

/**
 * Behind the last bar, where there is always room for a duration. More words go to the side that has more room, in front
 * of the line that says how long it was queued; where neither side has any, upon the end of the bars.
 */
export function noteStyle({ attempts, readyAt }: ViewRow, note: string, time: Time, isNarrow: boolean): CSSProperties {
  const least = isNarrow ? LEAST_ROOM.narrow : LEAST_ROOM.wide;
  const clamp = (share: number): number => Math.max(0, Math.min(1, share));
  const last = attempts.at(-1);
  const end = last === undefined ? 0 : clamp(shareOf(last.to ?? time.now, time));
  const begin = clamp(shareOf(Math.min(readyAt ?? Infinity, attempts[0]?.from ?? time.from), time));
  if (note.length <= SHORT || 1 - end >= Math.max(begin, least))
    return { left: `calc(${end * 100}% + 8px)`, maxWidth: `calc(${(1 - end) * 100}% + var(--gutter) - 8px)` };
  if (begin >= least) return { right: `calc(${(1 - begin) * 100}% + 8px)`, maxWidth: `calc(${begin * 100}% - 16px)` };
  return { right: "calc(-1 * var(--gutter) + 8px)", maxWidth: isNarrow ? "75%" : "50%", background: "var(--row)" };
}
