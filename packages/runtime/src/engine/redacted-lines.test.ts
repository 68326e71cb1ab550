// @module-tag D-11
import fc from "fast-check";
import { expect, test } from "vitest";
import { Redactor } from "./redactor.js";

const SECRET = "correct horse";

function linesOf(...texts: readonly string[]): { readonly written: string[][]; readonly rest: string[] } {
  const redactor = new Redactor();
  redactor.add("s", SECRET);
  const lines = redactor.lines<{ readonly text: string }>();
  const written = texts.map((text) => lines.push({ text }).map((line) => line.text));
  return { written, rest: lines.end().map(({ text }) => text) };
}

test("S1: a line that may contain the start of a secret waits for the next one", () => {
  expect(linesOf("plain", "with corr", "ect horse!", "more")).toEqual({
    written: [["plain"], [], ["with ", "[secret s]!"], ["more"]],
    rest: [],
  });
  expect(linesOf("with corr", "elation")).toEqual({ written: [[], ["with corr", "elation"]], rest: [] });
  expect(linesOf("with corr")).toEqual({ written: [[]], rest: ["with corr"] });
  expect(linesOf("corr", "ect", " hor", "se")).toEqual({ written: [[], [], [], ["", "", "", "[secret s]"]], rest: [] });
});

test("S1: a line is not held back for a few characters, and the next one is still redacted", () => {
  expect(linesOf("a cor", "rect horse")).toEqual({ written: [["a cor"], ["[secret s]"]], rest: [] });
});

test("S1: lines without their breaks contain no secret, regardless of how it is split", () => {
  const part = fc.constantFrom(SECRET, "correct ", "corr", "ect horse", "horse", "x", "");
  const cuts = fc.array(fc.nat({ max: 100 }), { maxLength: 10 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), cuts, (parts, at) => {
      const text = parts.join("");
      const places = [0, ...at.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
      const pieces = places.slice(1).map((place, i) => text.slice(places[i], place));
      const { written, rest } = linesOf(...pieces);
      const lines = [...written.flat(), ...rest];
      expect(lines).toHaveLength(pieces.length);
      expect(lines.map((line) => line.replaceAll(SECRET, "[secret s]")).join("")).not.toContain(SECRET);
    }),
  );
});
