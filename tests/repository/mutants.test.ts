// @module-tag R-12
/** The mutants of the regime `npm run test:mutants` fit the sources. Whether tests find them is tested in test:all. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { areas } from "../../scripts/mutants/areas.mjs";
import { mutantsOf, sample } from "../../scripts/mutants/collect.mjs";
import { confirmedVerdict, passWithoutMutant } from "../../scripts/mutants/confirm.mjs";
import { plantedMutants } from "../../scripts/mutants/planted.mjs";
import type { Verdict } from "../../scripts/mutants/host.mjs";
import type { Judge } from "../../scripts/mutants/judge.mjs";
import { survivors } from "../../scripts/mutants/survivors.mjs";

test("every listed bug replaces a text that occurs once in its file", () => {
  const bugs = plantedMutants();
  for (const { operator, original, content } of bugs) expect(content, operator).not.toBe(original);
});

test.each(Object.keys(areas))("the sample of %s depends on the seed only", (name) => {
  const mutants = mutantsOf(areas[name]!);
  const names = (seed: string) => sample(mutants, seed, 20).map(({ file, line, after }) => `${file}:${line} ${after}`);
  expect(mutants.length).toBeGreaterThan(300);
  expect(names("1")).toEqual(names("1"));
  expect(names("1")).not.toEqual(names("2"));
});

test("every accepted survivor has a reason", () => {
  for (const { file, after, reason } of survivors) {
    expect(existsSync(inRepository(file)), file).toBe(true);
    expect(reason.length, after).toBeGreaterThan(20);
  }
});

/** A judge that returns these verdicts in this order. */
function judging(...verdicts: Verdict[]): Judge {
  return { judge: async () => verdicts.shift()!, close: async () => {} };
}

const passed: Verdict = { killed: false, by: "", why: "1 test file passed" };
const failed: Verdict = { killed: true, by: "a test", why: "expected 1 to be 2" };
const timedOut: Verdict = { ...failed, why: "Test timed out in 60000ms.", timedOut: true };
const order = { planted: { file: "a.ts", content: "", original: "" }, tests: [{ file: "a.test.ts" }] };

test("mutants are judged only by tests that pass without one", async () => {
  await passWithoutMutant(judging(failed, passed), order.tests); // repeated once
  const failing = passWithoutMutant(judging(failed, failed), order.tests);
  await expect(failing).rejects.toThrow("A test fails without a mutant: a test");
});

test.each([
  { title: "a failed assertion kills a mutant", verdicts: [failed], killed: true },
  { title: "a time limit that is reached twice kills it", verdicts: [timedOut, passed, timedOut], killed: true },
  { title: "a time limit that is reached once does not", verdicts: [timedOut, passed, passed], killed: false },
  { title: "a time limit that is reached without a mutant does not", verdicts: [timedOut, timedOut], killed: false },
])("$title", async ({ verdicts, killed }) => {
  expect((await confirmedVerdict(judging(...verdicts), order)).killed).toBe(killed);
});
