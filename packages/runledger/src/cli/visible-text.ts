/** Text with colours in it: what a colour is made of takes no room on the screen. */
const COLOUR = /\u001B\[[\d;]*m/g;
const RESET = "\u001B[0m";

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
