/**
 * Finds the mutants of an area, and takes a sample that depends on the seed only: a mutant stays in the sample while its
 * line stays as it is.
 * @typedef {{ file: string, line: number, operator: string, before: string, after: string, content: string,
 *   original: string }} Mutant `before` and `after` are the changed line
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { filesBelow, inRepository } from "../lib/repository.mjs";
import { sqlEdits } from "./sql-mutants.mjs";
import { typeScriptEdits } from "./ts-mutants.mjs";

/** @param {import("./areas.mjs").Area} area @returns {Mutant[]} */
export function mutantsOf(area) {
  return area.sources
    .flatMap(filesBelow)
    .filter((file) => /\.(ts|sql)$/.test(file) && !file.endsWith(".test.ts"))
    .flatMap(mutantsIn);
}

/** @param {readonly Mutant[]} mutants @param {string} seed @param {number} size @returns {Mutant[]} */
export function sample(mutants, seed, size) {
  const ranked = mutants.map((mutant) => ({ mutant, rank: rankOf(mutant, seed) }));
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

/** @param {string} file @returns {Mutant[]} */
function mutantsIn(file) {
  const original = readFileSync(inRepository(file), "utf8");
  const from = startOfCode(file, original);
  const edits = file.endsWith(".sql") ? sqlEdits(original) : typeScriptEdits(original);
  return edits
    .filter(({ start }) => start >= from)
    .map(({ operator, start, end, text }) => {
      const content = original.slice(0, start) + text + original.slice(end);
      return { file, operator, original, content, ...changedLine(original, content, start) };
    });
}

/** A function that has overloads for older releases comes last in its file. @param {string} file @param {string} text */
export const startOfCode = (file, text) =>
  file.endsWith(".sql") ? text.lastIndexOf("\nCREATE OR REPLACE FUNCTION") + 1 : 0;

/** @param {string} original @param {string} content @param {number} at */
export function changedLine(original, content, at) {
  const line = original.slice(0, at).split("\n").length;
  const lineOf = (/** @type {string} */ text) => text.split("\n")[line - 1]?.trim() ?? "";
  return { line, before: lineOf(original), after: lineOf(content) };
}

/** @param {Mutant} mutant @param {string} seed */
const rankOf = ({ file, operator, before, after }, seed) =>
  createHash("sha256").update([seed, file, operator, before, after].join("\n")).digest("hex");
