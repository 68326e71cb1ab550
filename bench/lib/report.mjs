import { compact } from "./rounds.mjs";

/** @typedef {import("./suite.mjs").Result} Result */

const HEADINGS = ["name", "ratio", "target", "met"];

/** @param {readonly Result[]} results */
export function table(results) {
  const rows = [HEADINGS, ...results.map(row)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (/** @type {readonly string[]} */ cells) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  const details = (/** @type {Result | undefined} */ result) => remarks(result).map((detail) => `    ${detail}`);
  return rows.flatMap((cells, index) => [line(cells), ...details(results[index - 1])]).join("\n");
}

/** @param {Result} result */
function row({ name, ratio, target, reach, met }) {
  return [name, compact(ratio), reach === "at most" ? `≤ ${target}` : `≥ ${target}`, met ? "yes" : "NO"];
}

/** @param {Result | undefined} result */
function remarks(result) {
  if (result === undefined) return [];
  return result.failed === undefined ? result.details : [...result.details, `missed: ${result.failed}`];
}

/**
 * @param {readonly import("./saved-results.mjs").SavedResult[]} results
 * @param {string} machine
 */
export async function markdown(results, machine) {
  const headings = [...HEADINGS, "measured on", "measure"];
  const rows = results.map((result) => [...row(result), result.date, result.measure]);
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const text = [
    "# Results of `npm run bench`",
    "",
    `The newest results are from ${machine}.`,
    "Older ones may be from another machine: only the two sides of a ratio are comparable.",
    "",
    "A ratio is the median over alternating rounds of our number over the other side's in the same round; both sides use",
    "one server with fsync and synchronous commits, one driver and pools of one size. Raw is a plain",
    "`INSERT … SELECT FROM unnest(…)` into a table with the same columns and keys, at its best batch size and number of",
    "connections (connections × batch). Written by `npm run bench -- --write`.",
    "",
    line(headings),
    line(headings.map(() => "---")),
    ...rows.map(line),
    "",
    ...results.flatMap((result) => [`**${result.name}**`, "", ...remarks(result).map((detail) => `- ${detail}`), ""]),
  ].join("\n");
  const { format } = await import("prettier");
  return format(text, { parser: "markdown", printWidth: 120 });
}
