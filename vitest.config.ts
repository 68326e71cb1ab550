import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { inRepository, packages } from "./scripts/lib/repository.mjs";
import { testReportWriter } from "./scripts/vitest-reporter.mjs";

/** `test` needs npm only, `all` other toolchains or minutes, `long` hours. A file's name says where it belongs. */
const suites = {
  test: { include: ["**/*.test.ts"], exclude: ["**/*.all.test.ts", "**/*.long.test.ts"], testTimeout: 180_000 },
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

/** Tests see the sources, so that coverage is theirs and no build can be out of date. Child processes see dist. */
const sources = packages().flatMap(({ folder, manifest }) => [
  { find: new RegExp(`^${manifest.name}$`), replacement: inRepository(`packages/${folder}/src/index.ts`) },
  { find: new RegExp(`^${manifest.name}/(.+)$`), replacement: inRepository(`packages/${folder}/src/$1/index.ts`) },
]);

/**
 * Test files that start nothing and leave everything as they found it share a process, and what it has loaded: that takes
 * longer than most of them. Every other file has a process to itself.
 */
const sharing = [
  "packages/{console,core,store-snowflake}/src/**/*.test.ts",
  "packages/store-conformance/src/history/*.test.ts",
  "packages/runledger/src/{cli,metrics}/*.test.ts",
  "packages/runledger/src/yaml/{cel,json-schema,load-workflow,reference}.test.ts",
  "tests/repository/{api-document,cli-document,deploy,documents,error-pages,import-rule,reference,test-report}.test.ts",
];

const together = suite === "test" ? sharing : [];
const files = ["packages/*/src", "examples/*/src", "tests"].flatMap((at) => include.map((glob) => `${at}/${glob}`));
const never = ["**/node_modules/**", "**/dist/**", ...exclude];

export default defineConfig({
  resolve: { alias: sources },
  test: {
    projects: [
      { extends: true, test: { name: "alone", include: files, exclude: [...never, ...together] } },
      { extends: true, test: { name: "together", include: together, exclude: never, isolate: false } },
    ],
    globalSetup: ["tests/support/clusters-folder.ts"],
    pool: "forks",
    maxWorkers: cores + (suite === "test" ? 1 : 0), // much of that one waits for processes and for time to pass
    testTimeout,
    hookTimeout: testTimeout,
    expect: { poll: { timeout: 60_000 } }, // a machine may be slow; what never comes is a failure all the same
    allowOnly: false,
    passWithNoTests: suite !== "test",
    reporters: report === undefined ? ["default"] : ["default", testReportWriter({ suite, file: report })],
    coverage: {
      provider: "v8",
      include: ["packages/core/src/**/*.ts"],
      exclude: ["**/*.test.ts"],
      reporter: ["text"],
      thresholds: { branches: 100, functions: 100, lines: 100 },
    },
  },
});
