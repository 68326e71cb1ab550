/**
 * Runs tests on mutants, one after the other, in one vitest. The mutated source exists in memory only; a mutated SQL
 * function replaces the original in the database that tests copy. The parent kills this process if a mutant loops forever.
 * @typedef {{ file: string, content: string, original: string }} Planted
 * @typedef {{ file: string, title?: string, id?: string }} Tests all tests of a file, those whose title contains this, or the
 *   one with vitest's id
 * @typedef {{ planted: Planted | null, tests: Tests[] }} Order
 * @typedef {{ killed: boolean, by: string, why: string, invalid?: boolean, killer?: Tests, timedOut?: boolean }} Verdict
 *   `invalid` if PostgreSQL refused the mutant, `timedOut` if a time limit ended the test instead of an assertion
 */
import { Client } from "pg";
import { createVitest } from "vitest/node";
import { inRepository, readJson, root } from "../lib/repository.mjs";
import { sourceAliases } from "../lib/source-aliases.mjs";
import { startOfCode } from "./collect.mjs";

/** Long enough on a busy machine, and short enough for mutants that wait for something that never happens. */
const LIMIT_MS = 60_000;

/** @type {Planted | null} */
let current = null;

/** @type {import("vitest/node").Vite.Plugin} */
const plant = {
  name: "plant",
  enforce: "pre",
  load: (id) => (current !== null && id.split("?")[0] === inRepository(current.file) ? current.content : null),
};

/** Runs files in the order in which they are given. */
class AsGiven {
  /** @template T @param {T} files */
  sort = async (files) => files;
  /** @template T @param {T} files */
  shard = async (files) => files;
}

let isReady = false;

/** Shows the parent that the tests are not in an endless loop. */
const progress = () => void (isReady && process.send?.("progress"));

const ids = /** @type {{ id: string }[]} */ (readJson(inRepository("tests/acceptance.json")));

const vitest = await createVitest(
  "test",
  {
    config: false,
    root,
    watch: false,
    run: true,
    include: ["packages/*/src/**/*.test.ts", "packages/*/tests/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: [inRepository("packages/test-support/src/shared-services.ts")],
    tags: ids.map(({ id }) => ({ name: id })),
    sequence: { sequencer: AsGiven },
    pool: "forks",
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    silent: true,
    reporters: [{ onTestModuleStart: progress, onTestCaseResult: progress, onHookEnd: progress }],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS / 2 } },
    passWithNoTests: false,
  },
  { resolve: { alias: sourceAliases }, plugins: [plant] },
);
await vitest.globTestSpecifications();

process.on("message", (/** @type {Order} */ order) => {
  judge(order).then(
    (verdict) => process.send?.(verdict),
    (/** @type {unknown} */ error) =>
      process.send?.({ killed: false, by: "", why: `the host failed: ${String(error)}` }),
  );
});
process.on("disconnect", () => {
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), 15_000).unref(); // this process leads its group
  void vitest.close().then(() => process.exit(0));
});
await runTests([{ file: "packages/core/src/store/lease-fence.test.ts" }]); // starts the services
isReady = true;
process.send?.("ready");

/** @param {Order} order @returns {Promise<Verdict>} */
async function judge({ planted, tests }) {
  if (planted?.file.endsWith(".sql")) return withFunction(planted, () => runTests(tests));
  current = planted;
  if (planted !== null) vitest.invalidateFile(inRepository(planted.file));
  try {
    return await runTests(tests);
  } finally {
    current = null;
    if (planted !== null) vitest.invalidateFile(inRepository(planted.file));
  }
}

/** @param {readonly Tests[]} tests @returns {Promise<Verdict>} */
async function runTests(tests) {
  const specifications = tests.map(specificationOf);
  const result = await vitest.runTestSpecifications(specifications);
  const ran = new Set(specifications.map(({ moduleId }) => moduleId)); // vitest also returns files of earlier runs
  for (const file of result.testModules.filter(({ moduleId }) => ran.has(moduleId))) {
    const [failed] = file.children.allTests("failed");
    if (failed !== undefined)
      return killed(`${file.relativeModuleId} > ${failed.fullName}`, failed.result().errors, {
        killer: { file: file.relativeModuleId, id: failed.id },
      });
    if (!file.ok()) return killed(file.relativeModuleId, file.errors(), { killer: { file: file.relativeModuleId } });
  }
  const [unhandled] = result.unhandledErrors;
  if (unhandled !== undefined) return killed("unhandled error", [/** @type {Error} */ (unhandled)]);
  return { killed: false, by: "", why: `${result.testModules.length} test files passed` };
}

/** @param {Tests} tests */
function specificationOf({ file, title, id }) {
  return vitest.getRootProject().createSpecification(inRepository(file), {
    ...(title === undefined ? {} : { testNamePattern: new RegExp(title) }),
    ...(id === undefined ? {} : { testIds: [id] }),
  });
}

/**
 * @param {string} by @param {readonly { message: string, cause?: unknown }[] | undefined} errors
 * @param {{ killer?: Tests }} [killer] @returns {Verdict}
 */
function killed(by, errors, killer) {
  const [{ message, cause } = { message: "", cause: undefined }] = errors ?? [];
  const limit = /timed out in|did not succeed in time/i; // messages of vitest for a test, a hook and a poll
  const timedOut = limit.test(message) || limit.test(JSON.stringify(cause) ?? "");
  return { killed: true, by, why: message.split("\n")[0] ?? "", timedOut, ...killer };
}

/** @param {Planted} planted @param {() => Promise<Verdict>} work @returns {Promise<Verdict>} */
async function withFunction({ content, original }, work) {
  try {
    await inTemplate(content);
  } catch (error) {
    return { killed: true, by: "PostgreSQL", why: String(error), invalid: true };
  }
  try {
    return await work();
  } finally {
    await inTemplate(original);
  }
}

/** @param {string} statement */
async function inTemplate(statement) {
  const services = vitest.getRootProject().getProvidedContext().services;
  const address = new URL(await (await fetch(`${services}/postgres`)).text());
  address.pathname = "/migrated_template";
  const client = new Client({ connectionString: address.href });
  await client.connect();
  try {
    await client.query(statement.slice(startOfCode(".sql", statement)));
  } finally {
    await client.end();
  }
}
