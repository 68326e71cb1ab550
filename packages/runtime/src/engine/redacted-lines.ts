/** Redacts secrets that span lines: a step may log the chunks of a stream one by one (S1). */
import { longestOverlap, MIN_BEGINNING, spanning, type Match, type Needle } from "./needles.js";

interface Line {
  readonly text: string;
}

export class RedactedLines<L extends Line> {
  readonly #needles: () => readonly Needle[];
  /** Lines that may contain the start of a secret. */
  #held: readonly L[] = [];
  /** The end of earlier lines, if it may be the start of a secret. It is too short to be held back. */
  #written = "";

  constructor(needles: () => readonly Needle[]) {
    this.#needles = needles;
  }

  /** Returns the lines that can be written now. Secrets inside a line remain. */
  push(line: L): readonly L[] {
    const needles = this.#needles();
    const given = [...this.#held, line];
    const [written = "", ...texts] = redactAcross([this.#written, ...given.map(({ text }) => text)], needles);
    const lines = given.map((each, place) => (texts[place] === each.text ? each : { ...each, text: texts[place]! }));
    return this.#hold(written, lines, longestOverlap(written + texts.join(""), needles));
  }

  end(): readonly L[] {
    const rest = this.#held;
    this.#held = [];
    return rest;
  }

  /** Holds back the lines that contain the last `length` characters. */
  #hold(written: string, lines: readonly L[], length: number): readonly L[] {
    let from = lines.length;
    let left = length;
    while (left > 0 && from > 0) left -= lines[--from]!.text.length;
    const isHeld = length >= MIN_BEGINNING;
    const all = written + lines.map(({ text }) => text).join("");
    this.#written = last(isHeld ? written : all, isHeld ? left : length);
    this.#held = isHeld ? lines.slice(from) : [];
    return isHeld ? lines.slice(0, from) : lines;
  }
}

function last(text: string, length: number): string {
  return length <= 0 ? "" : text.slice(-length);
}

/** Replaces secrets that span parts. The last part that a secret reaches names it. */
function redactAcross(parts: readonly string[], needles: readonly Needle[]): readonly string[] {
  if (parts.length === 2 && parts[0] === "") return parts;
  const found = firstAcross(parts, needles);
  if (found === null) return parts;
  const { at, end: to, needle } = found;
  const ends = endsOf(parts);
  const clean = parts.map((part, place) => {
    const start = ends[place]! - part.length;
    if (ends[place]! <= at || start >= to) return part;
    const isLast = ends[place]! >= to;
    return part.slice(0, Math.max(0, at - start)) + (isLast ? needle.instead + part.slice(to - start) : "");
  });
  return redactAcross(clean, needles);
}

function firstAcross(parts: readonly string[], needles: readonly Needle[]): (Match & { needle: Needle }) | null {
  const joined = parts.join("");
  const borders = endsOf(parts).slice(0, -1);
  for (const needle of needles) {
    for (const border of borders) {
      const match = spanning(joined, border, needle);
      if (match !== null) return { ...match, needle };
    }
  }
  return null;
}

/** Returns the position at which each part ends in the whole. */
function endsOf(parts: readonly string[]): readonly number[] {
  let end = 0;
  return parts.map(({ length }) => (end += length));
}
