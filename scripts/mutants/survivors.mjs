/** Survivors that no test needs to find, each with its reason, from tests/mutants/survivors.json. */
import { inRepository, readJson } from "../lib/repository.mjs";

/** @typedef {{ file: string, before: string, after: string, reason: string }} Survivor `before` and `after` are the changed line */

export const survivors = /** @type {Survivor[]} */ (readJson(inRepository("tests/mutants/survivors.json")));

/** @param {{ file: string, before: string, after: string }} mutant @returns {string | undefined} */
export const reasonFor = ({ file, before, after }) =>
  survivors.find((known) => known.file === file && known.before === before && known.after === after)?.reason;
