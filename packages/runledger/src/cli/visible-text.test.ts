import { expect, test } from "vitest";
import { harmless } from "./visible-text.js";

const RED = "\u001B[31m";
const RESET = "\u001B[0m";

test.each([
  ["a title of the window", "\u001B]0;owned\u0007x", String.raw`\u001b]0;owned\u0007x`],
  ["a screen that is cleared", "\u001B[2J\u001B[Hx", String.raw`\u001b[2J\u001b[Hx`],
  ["a line that is written over", "failed\rdone  ", String.raw`failed\u000ddone  `],
  ["the same in one character", "\u009B2J\u0090x\u007F", String.raw`\u009b2J\u0090x\u007f`],
  ["a link", "\u001B]8;;http://evil\u001B\\x", String.raw`\u001b]8;;http://evil\u001b` + "\\x"],
  ["a colour that does not end", `${RED}x\ny`, `${RED}x${RESET}\ny`],
  ["a colour that is cut", "x\u001B[3", String.raw`x\u001b[3`],
])("%s is shown and not obeyed", (_, text, shown) => {
  expect(harmless(text)).toBe(shown);
});

test("text, tabs, lines and colours are as they were", () => {
  for (const text of ["plain ünï ✔ 𝄞", "a\tb\nc", `${RED}x${RESET} y`]) expect(harmless(text)).toBe(text);
});

test("JSON says the same afterwards", () => {
  const value = { text: "\u001B[2J\u009B\u007F\u0085" };
  expect(JSON.parse(harmless(JSON.stringify(value)))).toEqual(value);
});
