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

/** Behind the last bar where there is room, in front of the first where there is none, else upon it. */
export function noteStyle({ attempts }: ViewRow, time: Time): CSSProperties {
  const clamp = (share: number): number => Math.max(0, Math.min(1, share));
  const end = clamp(shareOf(attempts.length === 0 ? time.from : (attempts.at(-1)!.to ?? time.now), time));
  if (end < 0.72) return { left: `calc(${end * 100}% + 8px)`, maxWidth: `calc(${(1 - end) * 100}% - 8px)` };
  const begin = clamp(shareOf(attempts[0]?.from ?? time.to, time));
  if (begin < 0.28) return { right: 0, background: "var(--row)", color: "var(--ink)" };
  return { right: `calc(${(1 - begin) * 100}% + 8px)`, maxWidth: `calc(${begin * 100}% - 16px)` };
}
