import type { Span } from "./histogram-bars.js";

interface Tick {
  readonly at: number;
  /** The position as a fraction of the width. */
  readonly share: number;
  readonly text: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY];
const MAX_TICKS = 8;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Returns round times in the reader's time zone. Ticks whose text would be cut off at the edges are left out. */
export function timeTicks({ from, to }: Span): readonly Tick[] {
  const step = STEPS.find((one) => (to - from) / one <= MAX_TICKS) ?? STEPS.at(-1)!;
  const offset = new Date(from).getTimezoneOffset() * MINUTE;
  const ticks: Tick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) {
    const share = (at - from) / (to - from);
    if (share > 0.02 && share < 0.98) ticks.push({ at, share, text: textOf(at, step) });
  }
  return ticks;
}

function textOf(at: number, step: number): string {
  const date = new Date(at);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return step >= DAY || isMidnight ? day.format(date) : clock.format(date);
}
