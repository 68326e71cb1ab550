// @module-tag R-12
import { expect, test } from "vitest";
import { indexText, textOrNull } from "./index-rows.js";

test("a text of up to 240 bytes is its own key", () => {
  for (const text of ["", "nightly", "x".repeat(240), "é".repeat(120)]) expect(indexText(text)).toBe(text);
});

test("a longer text is its beginning and a hash, so that different texts have different keys", () => {
  for (const text of ["x".repeat(241), "é".repeat(121)]) {
    expect(indexText(text)).toMatch(new RegExp(`^${text.slice(0, 40)}…[0-9a-f]{64}$`));
    expect(indexText(`${text}y`)).not.toBe(indexText(text));
  }
});

test("a filter that is not set has no key", () => {
  expect([null, undefined, "", "a"].map(textOrNull)).toEqual([null, null, "", "a"]);
});
