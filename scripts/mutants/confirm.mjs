/**
 * Judges mutants on a machine that may be slow. The tests must pass without a mutant, before the first one and after the last
 * one. A mutant whose test reached a time limit is killed only if the test then passes without it, and fails with it again.
 * @typedef {import("./host.mjs").Order} Order
 * @typedef {import("./host.mjs").Tests} Tests
 * @typedef {import("./host.mjs").Verdict} Verdict
 * @typedef {import("./judge.mjs").Judge} Judge
 */

/** Repeats the tests once if one of them fails, and prints which one. @param {Judge} judge @param {readonly Tests[]} tests */
export async function passWithoutMutant(judge, tests) {
  const first = await judge.judge({ planted: null, tests: [...tests] });
  if (!first.killed) return;
  console.log(`failed without a mutant, repeated: ${first.by}: ${first.why}`);
  const { killed, by, why } = await judge.judge({ planted: null, tests: [...tests] });
  if (killed) throw new Error(`A test fails without a mutant: ${by}: ${why}`);
}

/** @param {Judge} judge @param {Order} order @returns {Promise<Verdict>} */
export async function confirmedVerdict(judge, order) {
  const verdict = await judge.judge(order);
  if (!verdict.timedOut) return verdict;
  const tests = verdict.killer === undefined ? order.tests : [verdict.killer];
  const control = await judge.judge({ planted: null, tests });
  if (control.killed) return survived(`${verdict.by} fails without the mutant as well: ${control.why}`);
  const again = await judge.judge({ ...order, tests });
  return again.killed ? verdict : survived(`${verdict.by} reached its time limit once, and then passed`);
}

/** @param {string} why @returns {Verdict} */
const survived = (why) => ({ killed: false, by: "", why });
