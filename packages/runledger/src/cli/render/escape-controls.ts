const RESET = "\u001B[0m";
const STYLE = /\u001B\[[\d;]*m/g;

/** Styles, and all other control characters. Tabs and line breaks are text. Bidirectional controls reorder what a person reads. */
const CONTROL =
  /\u001B\[[\d;]*m|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/** A style that hides text: 8. Numbers after 38 and 48 are colors. */
const HIDES = /\[(?:\d*;)*0*8(?:;\d*)*m$/;
const HAS_COLOR = /[34]8;/;

/**
 * Escapes the control characters in text that comes from runs, files and servers. Such text may set colors up to the end of its
 * line. It must not move the cursor, clear the screen, set the window title or overwrite other text. Escaped JSON still parses to
 * the same value.
 */
export function escapeControls(text: string): string {
  if (text.search(CONTROL) === -1) return text;
  return text.split("\n").map(escapeLine).join("\n");
}

function escapeLine(line: string): string {
  const escaped = line.replaceAll(CONTROL, (found) => (found.length > 1 ? escapeStyle(found) : escapeCharacter(found)));
  return withReset(escaped);
}

function escapeStyle(style: string): string {
  return HIDES.test(style) && !HAS_COLOR.test(style) ? escapeCharacter(style[0]!) + style.slice(1) : style;
}

function escapeCharacter(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
}

/** Appends a reset, unless the text has no style or its last style is a reset. */
export function withReset(text: string): string {
  const last = text.match(STYLE)?.at(-1) ?? RESET;
  return last === RESET ? text : text + RESET;
}
