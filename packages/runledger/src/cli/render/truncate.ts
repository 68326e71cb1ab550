import stringWidth from "string-width";
import { withReset } from "./escape-controls.js";

const STYLES = /(\u001B\[[\d;]*m)/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Truncates text to `width` columns and appends an ellipsis. Keeps its styles, which have no width. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let room = width - 1;
  for (const part of text.split(STYLES)) {
    const fitting = STYLES.test(part) ? part : fittingPart(part, room);
    kept += fitting;
    room = fitting === part ? room - stringWidth(part) : 0;
  }
  return `${withReset(kept)}…`;
}

/** Returns the characters at the start of the text that fit. */
function fittingPart(text: string, room: number): string {
  let length = 0;
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > room) break;
    length += segment.length;
  }
  return text.slice(0, length);
}
