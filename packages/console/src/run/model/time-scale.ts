/**
 * The scale of the time axis. Idle stretches take at most a third of it: longer ones are shortened, so that a wait of three
 * days does not reduce the work before and after it to a line.
 */
import { lengthOf, type Stretch } from "./work-time.js";

/** A part of the axis with its position as fractions of the width. */
interface ScalePart extends Stretch {
  readonly left: number;
  readonly right: number;
  /** The part is idle, and drawn shorter than it was. */
  readonly isShortened: boolean;
}

export interface TimeScale extends Stretch {
  readonly parts: readonly ScalePart[];
}

/** Idle time per work time. */
const MAX_IDLE = 0.5;
/** More stretches would be narrower than a pixel. The longest are shortened. */
const MAX_SHORTENED = 300;

export function makeScale(window: Stretch, idle: readonly Stretch[]): TimeScale {
  const inside = idle
    .map(({ from, to }) => ({ from: Math.max(from, window.from), to: Math.min(to, window.to) }))
    .filter(({ from, to }) => to > from);
  const longest = [...inside].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MAX_SHORTENED);
  const budget = (window.to - window.from - lengthOf(longest)) * MAX_IDLE;
  if (budget <= 0 || lengthOf(longest) <= budget) return { ...window, parts: [whole(window)] };
  const limit = limitFor(longest, budget);
  const shortened = longest.filter(({ from, to }) => to - from > limit).sort((a, b) => a.from - b.from);
  return { ...window, parts: place(window, shortened, limit) };
}

function whole(window: Stretch): ScalePart {
  return { ...window, left: 0, right: 1, isShortened: false };
}

/** Returns the length to which long stretches are cut, so that all stretches together take the budget. */
function limitFor(longestFirst: readonly Stretch[], budget: number): number {
  let rest = budget;
  const shortestFirst = [...longestFirst].reverse();
  for (const [index, { from, to }] of shortestFirst.entries()) {
    const share = rest / (shortestFirst.length - index);
    if (to - from > share) return share;
    rest -= to - from;
  }
  return rest;
}

function place({ from, to }: Stretch, shortened: readonly Stretch[], limit: number): readonly ScalePart[] {
  const width = to - from - lengthOf(shortened) + shortened.length * limit;
  const parts: ScalePart[] = [];
  const add = (part: Stretch, isShortened: boolean): void => {
    const left = parts.at(-1)?.right ?? 0;
    const right = left + (isShortened ? limit : part.to - part.from) / width;
    if (part.to > part.from) parts.push({ ...part, left, right, isShortened });
  };
  let end = from;
  for (const one of shortened) {
    add({ from: end, to: one.from }, false);
    add(one, true);
    end = one.to;
  }
  add({ from: end, to }, false);
  return parts;
}

/** Returns the position of a time as a fraction: 0 is the start of the axis, 1 its end. Times outside are beyond. */
export function shareOf(at: number, { from, to, parts }: TimeScale): number {
  if (at <= from || at >= to) return (at >= to ? 1 : 0) + (at - (at >= to ? to : from)) / (to - from);
  const part = parts.findLast((one) => one.from <= at)!;
  return part.left + ((at - part.from) / (part.to - part.from)) * (part.right - part.left);
}

/** Returns the time at a position between 0 and 1. */
export function timeAt(share: number, { parts }: TimeScale): number {
  const part = parts.findLast((one) => one.left <= share) ?? parts[0]!;
  return part.from + ((share - part.left) / (part.right - part.left)) * (part.to - part.from);
}
