/**
 * Bundles the used parts of the OpenTelemetry SDK into the build of the package runtime. The SDK's own packages would add 14 MB
 * to every installation. `@opentelemetry/api` is not bundled: code of users shares it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";
import { inRepository } from "./lib/repository.mjs";

const NOTICE =
  "/* Contains parts of OpenTelemetry JS. Copyright The OpenTelemetry Authors. SPDX-License-Identifier: Apache-2.0 */";
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
  entryPoints: [inRepository("packages/runtime/src/telemetry/sdk.ts")],
  outfile: inRepository("packages/runtime/dist/telemetry/sdk.js"),
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "esm",
  mainFields: ["module", "main"],
  external: ["@opentelemetry/api"],
  banner: { js: `${NOTICE}\n${REQUIRE}` },
  plugins: [usedConventions],
  logLevel: "warning",
});
