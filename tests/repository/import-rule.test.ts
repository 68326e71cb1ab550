// @module-tag L-02
import { expect, test } from "vitest";
import { FOLDERS, PACKAGES } from "../../scripts/lib/import-graph.mjs";
import { importsOf, violations } from "../../scripts/lib/import-rule.mjs";

const inFile = (path: string, text: string) => violations({ path: `packages/${path}`, text });

test("every form of import is seen", () => {
  const text = [
    `import "a";`,
    `import type { B } from "b";`,
    `import {\n  c,\n} from "c";`,
    `export * from "d";`,
    `const e = await import("e"), f = require('f');`,
    `const notAnImport = 'from "g"';`,
  ].join("\n");
  expect(importsOf(text)).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test.each([
  ["I1", "store-memory/src/a.ts", `import { PostgresStore } from "@runledger/store-postgres";`],
  ["I1", "contracts/src/a.ts", `import type { RunState } from "@runledger/core";`],
  ["I1", "core/src/a.ts", `import { workflow } from "runledger";`],
  ["I1", "store-postgres/src/a.ts", `export * from "runledger/testing";`],
  ["I2", "core/src/a.ts", `import { createHash } from "node:crypto";`],
  ["I2", "contracts/src/a.ts", `import { z } from "zod";`],
  ["I2", "core/src/a.ts", `const fs = await import("fs");`],
  ["I3", "core/src/a.ts", `import { x } from "../../contracts/src/event.js";`],
  ["I3", "core/src/a.ts", `import { evolve } from "@runledger/core";`],
  ["I1", "server/src/a.ts", `import { makeProgram } from "runledger";`],
  ["I1", "unlisted/src/a.ts", `import { evolve } from "@runledger/core";`],
  ["I4", "runtime/src/engine/a.ts", `import { x } from "../queue/index.js";`],
  ["I4", "runtime/src/runs/a.ts", `import { x } from "../ledger/ledger.js";`],
  ["I4", "runtime/src/unlisted/a.ts", `import { x } from "../workflow/workflow.js";`],
  ["I4", "runledger/src/cli/backend/a.ts", `import { x } from "../render/terminal.js";`],
  ["I4", "runledger/src/config/a.ts", `import { x } from "../cli/backend/backend.js";`],
  ["I5", "store-postgres/src/a.ts", `const url = process.env["DATABASE_URL"];`],
  ["I5", "runtime/src/engine/a.ts", `import { env } from "node:process";`],
])("a planted violation of %s in %s is found", { tags: ["N-20"] }, (rule, path, text) => {
  expect(inFile(path, text)).toEqual([expect.stringContaining(`packages/${path}: ${rule} `)]);
});

test.each([
  [
    "core/src/a.ts",
    `import { newEvent } from "@runledger/contracts";\nimport { sha256 } from "@noble/hashes/sha2.js";`,
  ],
  ["store-postgres/src/a.ts", `import { evolve } from "@runledger/core";\nimport pg from "pg";`],
  ["runtime/src/ledger/a.ts", `import { x } from "../engine/worker.js";\nimport { y } from "./connect.js";`],
  ["runledger/src/cli/a.ts", `import { x } from "../config/y.js";\nconst store = process.env["RUNLEDGER_STORE"];`],
  ["runledger/src/cli/render/a.ts", `import { x } from "../backend/y.js";\nimport { z } from "../exit-codes.js";`],
  ["embedded/src/cache.ts", `const home = process.env["HOME"];`],
  ["store-memory/src/a.test.ts", `import { stateStoreConformance } from "@runledger/store-conformance";`],
])("an allowed import in %s is accepted", (path, text) => {
  expect(inFile(path, text)).toEqual([]);
});

test.each([["packages", PACKAGES], ...Object.entries(FOLDERS)])(
  "the import graph of %s has no cycle",
  { tags: ["N-20"] },
  (_, graph) => {
    const visit = (name: string, path: readonly string[]): void => {
      expect(path, `${[...path, name].join(" -> ")} is a cycle`).not.toContain(name);
      for (const next of graph[name] ?? []) visit(next, [...path, name]);
    };
    for (const name of Object.keys(graph)) visit(name, []);
  },
);

const inTests = (path: string, text: string) => violations({ path, text });

test.each([
  ["packages/core/src/a.test.ts", `import { until } from "../../../tests/support/until.js";`],
  ["packages/core/src/a.test.ts", `import { MemoryStore } from "../../store-memory/src/store.js";`],
  ["packages/test-support/src/a.ts", `import { makeProgram } from "../../runledger/src/cli/program.js";`],
  ["tests/journeys/a.test.ts", `import { makeProgram } from "../../packages/runledger/src/cli/program.js";`],
  ["tests/chaos/a.mjs", `import { workflow } from "../../packages/runledger/dist/index.js";`],
])("a test that reaches into another package is found: %s", { tags: ["N-21"] }, (path, text) => {
  expect(inTests(path, text)).toEqual([expect.stringContaining(`${path}: I6 `)]);
});

test.each([
  [
    "packages/core/src/fold/a.test.ts",
    `import { planOf } from "../plan/a.js";\nimport { until } from "@runledger/test-support/until";`,
  ],
  [
    "packages/store-snowflake/tests/a.test.ts",
    `import { connect } from "../src/client.js";\nimport { stub } from "./stub.js";`,
  ],
  [
    "tests/journeys/a.test.ts",
    `import { capture } from "../../scripts/lib/spawn.mjs";\nimport { connect } from "runledger";`,
  ],
])("a test may import what belongs to its package, and others by name: %s", { tags: ["N-21"] }, (path, text) => {
  expect(inTests(path, text)).toEqual([]);
});
