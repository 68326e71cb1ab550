import { expect, test } from "vitest";
import { importsOf, violations } from "../../scripts/lib/import-rule.mjs";

const inFile = (path: string, text: string) => violations({ path: `packages/${path}`, text });

test("[L-02] every form of import is seen", () => {
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
  ["I4", "runledger/src/engine/a.ts", `import { x } from "../queue/index.js";`],
  ["I4", "runledger/src/server/a.ts", `import { x } from "../cli/main.js";`],
  ["I5", "store-postgres/src/a.ts", `const url = process.env["DATABASE_URL"];`],
  ["I5", "runledger/src/engine/a.ts", `import { env } from "node:process";`],
])("[L-02] a planted violation of %s in %s is found", (rule, path, text) => {
  expect(inFile(path, text)).toEqual([expect.stringContaining(`packages/${path}: ${rule} `)]);
});

test.each([
  [
    "core/src/a.ts",
    `import { newEvent } from "@runledger/contracts";\nimport { sha256 } from "@noble/hashes/sha2.js";`,
  ],
  ["store-postgres/src/a.ts", `import { evolve } from "@runledger/core";\nimport pg from "pg";`],
  ["runledger/src/server/a.ts", `import { x } from "../engine/index.js";\nimport { y } from "./routes.js";`],
  ["runledger/src/cli/a.ts", `import { x } from "../server/index.js";\nconst store = process.env["RUNLEDGER_STORE"];`],
  ["embedded/src/cache.ts", `const home = process.env["HOME"];`],
  ["store-memory/src/a.test.ts", `import { stateStoreConformance } from "@runledger/store-conformance";`],
])("[L-02] what is allowed in %s stays allowed", (path, text) => {
  expect(inFile(path, text)).toEqual([]);
});
