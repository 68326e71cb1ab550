/**
 * Small faults in SQL: other comparisons, dropped conditions and locks, other directions.
 * @typedef {import("./ts-mutants.mjs").Edit} Edit
 */

/** @type {readonly (readonly [string, RegExp, string])[]} the pattern's first group is replaced, or all of it */
const RULES = [
  ["< to <=", / (<) /g, "<="],
  ["<= to <", / (<=) /g, "<"],
  ["> to >=", / (>) /g, ">="],
  [">= to >", / (>=) /g, ">"],
  ["= to <>", /(?<=\b(?:WHERE|AND|OR|WHEN)\b[^,;=\n]*) (=) /g, "<>"],
  ["AND to OR", /(?<!BETWEEN \S+ )\b(AND)\b/g, "OR"],
  ["OR to AND", /(?<!CREATE )\b(OR)\b(?! REPLACE)/g, "AND"],
  ["drop condition", /\b(AND (?:[\w.]+|\([^()]*\)) (?:[<>=]+|IS NOT DISTINCT FROM) [\w.$@:]+)(?=\s)(?! [-+*/(])/g, ""],
  ["IS NULL to IS NOT NULL", /\b(IS NULL)\b/g, "IS NOT NULL"],
  ["IS NOT NULL to IS NULL", /\b(IS NOT NULL)\b/g, "IS NULL"],
  ["drop NOT", /\b(NOT )(?!NULL|DISTINCT|MATERIALIZED|VALID)/g, ""],
  ["other direction", /\b(DESC)\b/g, "ASC"],
  ["least to greatest", /\b(least)(?=\()/g, "greatest"],
  ["greatest to least", /\b(greatest)(?=\()/g, "least"],
  ["min to max", /\b(min)(?=\()/g, "max"],
  ["max to min", /\b(max)(?=\()/g, "min"],
  ["+ 1 to + 0", / \+ (1)\b/g, "0"],
  ["- 1 to - 0", / - (1)\b/g, "0"],
  ["true to false", /\b(true)\b/g, "false"],
  ["false to true", /\b(false)\b/g, "true"],
  ["drop DISTINCT", /\b(DISTINCT )(?!ON|FROM)/g, ""],
];

/** @param {string} text @returns {Edit[]} */
export function sqlEdits(text) {
  const code = withoutComments(text);
  return RULES.flatMap(([operator, pattern, other]) =>
    [...code.matchAll(pattern)].map((match) => {
      const changed = match[1] ?? match[0];
      const start = match.index + match[0].indexOf(changed);
      return { operator: `SQL ${operator}`, start, end: start + changed.length, text: other };
    }),
  );
}

/** Keeps every place where it is. @param {string} text */
const withoutComments = (text) => text.replaceAll(/--.*/g, (comment) => "#".repeat(comment.length));
