import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { inRepository, readJson } from "./scripts/lib/repository.mjs";
import { sourceAliases } from "./scripts/lib/source-aliases.mjs";
import { testReportWriter } from "./scripts/vitest-reporter.mjs";
import { SlowFoldersFirst } from "./scripts/vitest-sequencer.mjs";

/** `test` needs only npm, `all` other toolchains or minutes, `long` hours. The suffix of a file name selects its suite. */
const suites = {
  test: { include: ["**/*.test.ts"], exclude: ["**/*.all.test.ts", "**/*.long.test.ts"], testTimeout: 300_000 },
  all: { include: ["**/*.all.test.ts"], exclude: [], testTimeout: 300_000 },
  long: { include: ["**/*.long.test.ts"], exclude: [], testTimeout: 3_600_000 },
};
type Suite = keyof typeof suites;

const isSuite = (name: string): name is Suite => Object.hasOwn(suites, name);
const suite = process.env["RUNLEDGER_SUITE"] ?? "test";
if (!isSuite(suite))
  throw new Error(`RUNLEDGER_SUITE is ${suite}; it must be one of ${Object.keys(suites).join(", ")}`);
const { include, exclude, testTimeout } = suites[suite];
const cores = Math.min(2, availableParallelism());
const report = process.env["RUNLEDGER_REPORT"];

/** The core's own tests, and the contract that its parts for stores keep. Coverage is judged by these. */
const covering = ["packages/{core,store-memory}/src/**/*.test.ts", "packages/store-conformance/src/memory.test.ts"];

/**
 * Test files share processes, and what these have loaded: loading takes longer than most files. These do not, because they
 * change what a process has only once: its platform, time zone, console or modules, or the database servers that it keeps alive.
 */
const needOwnProcess = [
  "packages/embedded/src/**/*.test.ts",
  "packages/contracts/src/idempotency-key.test.ts",
  "packages/runtime/src/engine/step-tools.test.ts",
  "packages/runtime/src/scheduler/cron-times.test.ts",
];

const folders = ["packages/*/src", "packages/*/tests", "examples/*/src", "tests"];
const files = folders.flatMap((folder) => include.map((glob) => `${folder}/${glob}`));
const never = ["**/node_modules/**", "**/dist/**", ...exclude];
const core = suite === "test" ? covering : [];
const own = suite === "test" ? needOwnProcess : files;
const shared = suite === "test" ? files : [];

/** Every acceptance ID is a tag. vitest fails a test that has another one. */
const acceptanceIds = readJson(inRepository("tests/acceptance.json")) as { id: string }[];
const tags = acceptanceIds.map(({ id }) => ({ name: id }));

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    projects: [
      { extends: true, test: { name: "core", include: core, exclude: never, isolate: false } },
      { extends: true, test: { name: "own process", include: own, exclude: never } },
      {
        extends: true,
        test: { name: "shared process", include: shared, exclude: [...never, ...core, ...own], isolate: false },
      },
    ],
    tags,
    sequence: { sequencer: SlowFoldersFirst },
    globalSetup: [
      "packages/test-support/src/shared-services.ts",
      ...(suite !== "test" ? ["packages/test-support/src/prepare-temporal.ts"] : []),
    ],
    pool: "forks",
    maxWorkers: cores + (suite === "test" ? 2 : 1), // much of a suite waits for processes and for time to pass
    testTimeout,
    hookTimeout: testTimeout,
    expect: { poll: { timeout: 240_000 } }, // generous, because a machine may be slow
    allowOnly: false,
    passWithNoTests: suite !== "test",
    reporters: report === undefined ? ["default"] : ["default", testReportWriter({ suite, file: report })],
    coverage: {
      provider: "v8",
      include: ["packages/core/src/**/*.ts"],
      exclude: ["**/*.test.ts"],
      reporter: [["text", { skipFull: true }]],
      thresholds: { branches: 100, functions: 100, lines: 100 },
    },
  },
});
