/**
 * What was promised, and whether a test shows it. A test says so with the ID in its title: `[L-24] …`, `[L-22, L-23] …`.
 * @typedef {{ id: string, text: string, state: "open" | "shown" }} Promised
 * @typedef {import("./test-report.mjs").TestRecord} TestRecord
 * @typedef {{ missing: Promised[], ready: string[], problems: string[] }} Verdict
 */

/** @param {string} title @returns {string[]} */
export function idsIn(title) {
  const bracketed = title.match(/\[[^\]]*\]/g) ?? [];
  return bracketed.flatMap((group) => group.match(/\b[A-Z]-\d{2}\b/g) ?? []);
}

/**
 * @param {readonly Promised[]} promised
 * @param {readonly TestRecord[]} tests of the last reports
 * @returns {Verdict} what has no passing test, what is open although it has one, and what must not be
 */
export function verdict(promised, tests) {
  const byId = testsById(tests);
  const passing = (/** @type {Promised} */ { id }) => byId.get(id)?.some((test) => test.state === "passed") ?? false;
  const failing = (/** @type {Promised} */ { id }) => byId.get(id)?.some((test) => test.state === "failed") ?? false;
  const shown = promised.filter(({ state }) => state === "shown");
  return {
    missing: promised.filter((promise) => !passing(promise)),
    ready: promised.filter((promise) => promise.state === "open" && passing(promise) && !failing(promise)).map(idOf),
    problems: [
      ...shown.filter((promise) => !passing(promise)).map(({ id }) => `${id} is marked shown and has no passing test`),
      ...shown.filter(failing).map(({ id }) => `${id} is marked shown and has a failing test`),
      ...unknown(promised, byId).map((id) => `${id} is in the title of a test and not in tests/acceptance.json`),
    ],
  };
}

/** @param {Promised} promise */
const idOf = ({ id }) => id;

/** @param {readonly Promised[]} promised @param {ReadonlyMap<string, unknown>} byId */
function unknown(promised, byId) {
  const known = new Set(promised.map(idOf));
  return [...byId.keys()].filter((id) => !known.has(id));
}

/** @param {readonly TestRecord[]} tests */
function testsById(tests) {
  /** @type {Map<string, TestRecord[]>} */
  const byId = new Map();
  for (const test of tests) for (const id of idsIn(test.title)) byId.set(id, [...(byId.get(id) ?? []), test]);
  return byId;
}
