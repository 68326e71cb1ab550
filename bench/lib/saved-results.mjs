/** The last result of every bench, in bench/results.json. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** @typedef {import("./suite.mjs").Result & { date: string }} SavedResult */

const FILE = new URL("../results.json", import.meta.url);

/**
 * Replaces the saved results of these benches. Returns the results of all benches, by name.
 * @param {readonly import("./suite.mjs").Result[]} results
 * @param {string} date
 * @returns {readonly SavedResult[]}
 */
export function saveResults(results, date) {
  const saved = existsSync(FILE) ? /** @type {SavedResult[]} */ (JSON.parse(readFileSync(FILE, "utf8"))) : [];
  const others = saved.filter(({ name }) => !results.some((result) => result.name === name));
  const all = [...others, ...results.map((result) => ({ ...result, date }))];
  all.sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
  return all;
}
