/**
 * Bundles the used parts of two dependencies into the modules that import them. The OpenTelemetry SDK would add 14 MB to every
 * installation, and @noble/hashes 0.7 MB for one function. `@opentelemetry/api` is not bundled: code of users shares it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";
import { inRepository } from "./lib/repository.mjs";

const NOBLE_NOTICE = "/*! Contains parts of noble-hashes. MIT License (c) 2022 Paul Miller (paulmillr.com) */";
const TELEMETRY_NOTICE =
  "/*! Contains parts of OpenTelemetry JS. Copyright The OpenTelemetry Authors. SPDX-License-Identifier: Apache-2.0 */";
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * The conventions are a list of thousands of names. A CommonJS module that requires one gets all of them; this leaves only those
 * that its text mentions.
 * @type {import("esbuild").Plugin}
 */
const usedConventions = {
  name: "used-conventions",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@opentelemetry\/semantic-conventions$/ }, ({ kind, importer }) =>
      kind === "require-call" ? { path: importer, namespace: "conventions" } : null,
    );
    onLoad({ filter: /.*/, namespace: "conventions" }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const conventions = /** @type {Record<string, unknown>} */ (
        createRequire(path)("@opentelemetry/semantic-conventions")
      );
      const isUsed = (/** @type {string} */ name) => new RegExp(`\\b${name}\\b`).test(text);
      const used = Object.fromEntries(Object.entries(conventions).filter(([name]) => isUsed(name)));
      return { contents: `module.exports = ${JSON.stringify(used)};` };
    });
  },
};

await build({
  entryPoints: [inRepository("packages/contracts/src/portable-sha256.ts")],
  outfile: inRepository("packages/contracts/dist/portable-sha256.js"),
  bundle: true,
  minify: true,
  target: "es2022",
  format: "esm",
  banner: { js: NOBLE_NOTICE },
  logLevel: "warning",
});

await build({
  entryPoints: [inRepository("packages/runtime/src/telemetry/sdk.ts")],
  outfile: inRepository("packages/runtime/dist/telemetry/sdk.js"),
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "esm",
  mainFields: ["module", "main"],
  external: ["@opentelemetry/api"],
  banner: { js: `${TELEMETRY_NOTICE}\n${REQUIRE}` },
  plugins: [usedConventions],
  logLevel: "warning",
});
