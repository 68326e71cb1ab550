/**
 * One line of the result table. A file below suites/ exports one as its default, or an array of them.
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} measure what is compared with what
 * @property {number} target
 * @property {"at least" | "at most"} reach which side of the target is good
 * @property {(bench: Bench) => Promise<Outcome>} run
 *
 * @typedef {object} Outcome
 * @property {number} ratio
 * @property {readonly string[]} details
 * @property {string} [failed] why the target is missed regardless of the ratio
 *
 * The parameters of a suite.
 * @typedef {object} Bench
 * @property {number} rounds
 * @property {number} roundMs how long one side's part of a round lasts
 * @property {(name: string) => Promise<string>} database the address of a fresh database, dropped after the suite
 * @property {(text: string) => void} say progress, on stderr
 *
 * @typedef {Omit<Suite, "run"> & Outcome & { met: boolean }} Result
 */

/**
 * @param {Suite} suite
 * @param {Outcome} outcome
 * @returns {Result}
 */
export function judge({ name, measure, target, reach }, outcome) {
  const reached = reach === "at least" ? outcome.ratio >= target : outcome.ratio <= target;
  return { name, measure, target, reach, ...outcome, met: reached && outcome.failed === undefined };
}
