/** The bugs of tests/mutants/planted.json: each replaces a text that occurs once, and names the tests that must fail. */
import { readFileSync } from "node:fs";
import { inRepository, readJson } from "../lib/repository.mjs";
import { changedLine, startOfCode } from "./collect.mjs";

/**
 * @typedef {import("./collect.mjs").Mutant} Mutant
 * @typedef {import("./host.mjs").Tests} Tests
 * @typedef {{ bug: string, file: string, replace: string, with: string, test: string, title?: string }} Planted
 */

/** @returns {(Mutant & { tests: Tests[] })[]} */
export function plantedMutants() {
  const bugs = /** @type {Planted[]} */ (readJson(inRepository("tests/mutants/planted.json")));
  return bugs.map(({ test, title, ...bug }) => {
    const tests = [title === undefined ? { file: test } : { file: test, title }];
    return { ...plantedMutant(bug), tests };
  });
}

/** @param {Omit<Planted, "test" | "title">} bug @returns {Mutant} */
function plantedMutant({ bug, file, replace, with: text }) {
  const original = readFileSync(inRepository(file), "utf8");
  const start = startOfCode(file, original);
  const parts = original.slice(start).split(replace);
  if (parts.length !== 2)
    throw new Error(`"${replace}" occurs ${parts.length - 1} times in ${file}. Update tests/mutants/planted.json.`);
  const content = original.slice(0, start) + parts.join(text);
  const at = start + (parts[0]?.length ?? 0);
  return { file, operator: bug, original, content, ...changedLine(original, content, at) };
}
