/**
 * Compares the acceptance IDs with the tests that show them. A test names its IDs as vitest tags.
 * The conformance suite is published and knows no IDs: an ID lists the clauses that show it.
 * @typedef {{ id: string, text: string, state: "open" | "shown", clauses?: string[] }} Promised
 * @typedef {import("./test-report.mjs").TestRecord} TestRecord
 * @typedef {{ missing: Promised[], ready: string[], problems: string[] }} Verdict
 */

const ID = /^[A-Z]-\d{2}$/;
const CLAUSE_OF_TITLE = / keeps the state store contract > ([^ ]+) > /;

/**
 * Returns the IDs that a test shows.
 * @param {Pick<TestRecord, "title" | "tags">} test
 * @param {readonly Promised[]} promised
 * @returns {string[]}
 */
export function idsOf({ title, tags = [] }, promised) {
  const clause = CLAUSE_OF_TITLE.exec(title)?.[1] ?? "";
  const byClause = promised.filter(({ clauses = [] }) => clauses.includes(clause)).map(idOf);
  return [...new Set([...tags.filter((tag) => ID.test(tag)), ...byClause])];
}

/**
 * Returns the IDs without a passing test, the open IDs that have one, and everything that fails `npm run acceptance`.
 * @param {readonly Promised[]} promised
 * @param {readonly TestRecord[]} tests of the last reports
 * @returns {Verdict}
 */
export function verdict(promised, tests) {
  const byId = testsById(promised, tests);
  const passing = (/** @type {Promised} */ { id }) => byId.get(id)?.some((test) => test.state === "passed") ?? false;
  const failing = (/** @type {Promised} */ { id }) => byId.get(id)?.some((test) => test.state === "failed") ?? false;
  const shown = promised.filter(({ state }) => state === "shown");
  return {
    missing: promised.filter((promise) => !passing(promise)),
    ready: promised.filter((promise) => promise.state === "open" && passing(promise) && !failing(promise)).map(idOf),
    problems: [
      ...shown.filter((promise) => !passing(promise)).map(({ id }) => `${id} is marked shown and has no passing test`),
      ...shown.filter(failing).map(({ id }) => `${id} is marked shown and has a failing test`),
      ...unknown(promised, byId).map((id) => `${id} is a tag of a test and not in tests/acceptance.json`),
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

/** @param {readonly Promised[]} promised @param {readonly TestRecord[]} tests */
function testsById(promised, tests) {
  /** @type {Map<string, TestRecord[]>} */
  const byId = new Map();
  for (const test of tests) for (const id of idsOf(test, promised)) byId.set(id, [...(byId.get(id) ?? []), test]);
  return byId;
}
