// @module-tag R-12
/** The listed bugs are found by the tests that they name, and a sample of generated mutants is judged. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";

interface Judged {
  readonly file: string;
  readonly operator: string;
  readonly killed: boolean;
  readonly by: string;
}

async function mutants(...args: readonly string[]) {
  const { code, stdout, stderr } = await capture(process.execPath, [inRepository("scripts/mutants.mjs"), ...args], {
    timeoutMs: 1_500_000,
  });
  const results = JSON.parse(readFileSync(inRepository(`reports/mutants-${args[0]}.json`), "utf8")) as Judged[];
  return { code, output: stdout + stderr, results };
}

test("the tests find every listed bug", { timeout: 1_800_000, tags: ["R-11"] }, async () => {
  const { code, output, results } = await mutants("planted");
  expect(
    results.filter(({ killed }) => !killed).map(({ operator }) => operator),
    output,
  ).toEqual([]);
  expect(code, output).toBe(0);
  expect(results.length).toBeGreaterThan(20);
});

test("generated mutants are judged by the tests beside them", { timeout: 1_800_000 }, async () => {
  const { output, results } = await mutants("core", "--sample", "3");
  expect(results, output).toHaveLength(3);
  for (const { killed, by } of results) expect(by !== "", output).toBe(killed);
});
