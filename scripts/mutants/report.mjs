/**
 * @typedef {{ file: string, line: number, operator: string, before: string, after: string, planted: boolean,
 *   killed: boolean, by: string, why: string, invalid?: boolean, timedOut?: boolean, reason: string }} Result
 */
import { areas } from "./areas.mjs";

/** @param {string} name @param {readonly Result[]} results @returns {string[]} */
export function summary(name, results) {
  const generated = results.filter(isGenerated);
  const listed = results.filter(({ planted }) => planted);
  const survivors = results.filter(({ killed }) => !killed);
  return [
    ...survivors.map(
      (each) =>
        `survived: ${each.file}:${each.line} ${each.operator}\n  ${each.before}\n  ${each.after}\n  ${each.reason || "NO REASON LISTED"}`,
    ),
    `${name}: ${killedOf(generated)} of a sample of ${generated.length} generated mutants killed (${percent(generated)} %, ` +
      `${generated.filter(({ timedOut }) => timedOut).length} of them by a time limit), ` +
      `${killedOf(listed)} of ${listed.length} listed bugs killed`,
  ];
}

/** @param {string} name @param {readonly Result[]} results */
export function isFailure(name, results) {
  const generated = results.filter(isGenerated);
  const needed = areas[name]?.needed ?? 0;
  const tooFew = generated.length > 0 && killedOf(generated) < needed * generated.length;
  return (
    tooFew ||
    results.some(({ killed, invalid = false, reason, planted }) =>
      planted ? !killed || invalid : !killed && reason === "",
    )
  );
}

/** A mutant that PostgreSQL refuses shows nothing. @param {Result} result */
const isGenerated = ({ planted, invalid = false }) => !planted && !invalid;

/** @param {readonly Result[]} results */
const killedOf = (results) => results.filter(({ killed }) => killed).length;

/** @param {readonly Result[]} results */
const percent = (results) => (results.length === 0 ? 100 : Math.floor((100 * killedOf(results)) / results.length));
