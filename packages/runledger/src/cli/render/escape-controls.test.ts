// @module-tag R-26
import { expect, test } from "vitest";
import { escapeControls } from "./escape-controls.js";

const RED = "\u001B[31m";
const RESET = "\u001B[0m";

test.each([
  ["a window title", "\u001B]0;owned\u0007x", String.raw`\u001b]0;owned\u0007x`],
  ["clearing the screen", "\u001B[2J\u001B[Hx", String.raw`\u001b[2J\u001b[Hx`],
  ["overwriting a line", "failed\rdone  ", String.raw`failed\u000ddone  `],
  ["a control sequence in one character", "\u009B2J\u0090x\u007F", String.raw`\u009b2J\u0090x\u007f`],
  ["a hyperlink", "\u001B]8;;http://evil\u001B\\x", String.raw`\u001b]8;;http://evil\u001b` + "\\x"],
  ["a color that is not reset", `${RED}x\ny`, `${RED}x${RESET}\ny`],
  ["hidden text", "\u001B[8mx\u001B[1;08mx\u001B[0m", String.raw`\u001b[8mx\u001b[1;08mx` + RESET],
  ["reordered text", "a\u202Eb\u2066c\u200F\u2028", String.raw`a\u202eb\u2066c\u200f\u2028`],
  ["an incomplete color", "x\u001B[3", String.raw`x\u001b[3`],
])("%s is made harmless", (_, text, shown) => {
  expect(escapeControls(text)).toBe(shown);
});

test("text, tabs, lines and colors stay unchanged", () => {
  for (const text of ["plain ünï ✔ 𝄞", "a\tb\nc", `${RED}x${RESET} y`, `\u001B[38;5;8mx${RESET}`])
    expect(escapeControls(text)).toBe(text);
});

test("escaped JSON parses to the same value", () => {
  const value = { text: "\u001B[2J\u009B\u007F\u0085" };
  expect(JSON.parse(escapeControls(JSON.stringify(value)))).toEqual(value);
});
