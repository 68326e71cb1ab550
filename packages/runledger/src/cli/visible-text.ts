/** Text with colours in it: what a colour is made of takes no room on the screen. */
const COLOUR = /\u001B\[[\d;]*m/g;
const RESET = "\u001B[0m";

/** Colours, and what else a terminal obeys; tabs and ends of lines are text. */
const STEERING = /\u001B\[[\d;]*m|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/**
 * What runs, files and servers say is shown, and never obeyed: it may be coloured, to the end of its line, but not move the
 * cursor, clear the screen, name the window or write over what stands there. In JSON it stays what it was.
 */
export function harmless(text: string): string {
  if (text.search(STEERING) === -1) return text;
  return text.split("\n").map(harmlessLine).join("\n");
}

function harmlessLine(line: string): string {
  const shown = line.replaceAll(STEERING, (found) => (found.length > 1 ? found : escaped(found)));
  return shown.lastIndexOf("\u001B[") === shown.lastIndexOf(RESET) ? shown : shown + RESET;
}

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
}

export function visibleLength(text: string): number {
  return Array.from(text.replaceAll(COLOUR, "")).length;
}

/** At most so many places wide, with its colours; an ellipsis says that something is missing. */
export function cut(text: string, width: number): string {
  if (visibleLength(text) <= width) return text;
  let [kept, places, at] = ["", 0, 0];
  for (const { index, 0: colour } of [...text.matchAll(COLOUR), { index: text.length, 0: "" }]) {
    const part = Array.from(text.slice(at, index)).slice(0, Math.max(0, width - 1 - places));
    places += part.length;
    kept += part.join("") + colour;
    at = index + colour.length;
  }
  const ended = kept.lastIndexOf("\u001B[") === kept.lastIndexOf(RESET) || !kept.includes("\u001B[");
  return `${kept}${ended ? "" : RESET}…`;
}
