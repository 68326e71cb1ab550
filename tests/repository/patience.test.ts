// @module-tag N-02
/** A busy machine must not fail a test: tests wait for conditions, with the generous limits of vitest.config.ts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";

const tests = ["packages", "examples", "tests"]
  .flatMap((folder) => filesBelow(folder))
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(inRepository(path), "utf8") }));

/** A statement that matches, as `path: statement`. */
const found = (pattern: RegExp): string[] =>
  tests.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([statement]) => `${path}: ${statement}`));

test("no test asserts that something took less than a time", () => {
  expect(found(/expect\((?:performance|Date)\.now\(\) - [^;]*?\)\s*\.toBeLess[^;]*;/g)).toEqual([]);
});

test("no wait for a condition has a small limit", () => {
  const limits = found(/expect\s*\.poll\([^;]*?timeout: [\d_]+/g).concat(
    found(/\.waitFor[^;(]*\([^;]*?timeout: [\d_]+/g),
  );
  const small = limits.filter((wait) => Number(/timeout: ([\d_]+)$/.exec(wait)![1]!.replaceAll("_", "")) < 240_000);
  expect(small).toEqual([]);
});
