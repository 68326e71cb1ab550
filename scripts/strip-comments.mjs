/**
 * Removes comments from the built modules of the packages that `runledger` installs. Declarations keep theirs, for editors.
 * Comments are a tenth of the code, and an installation has a limit (tests/repository/install-without-embedded.all.test.ts).
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { inRepository } from "./lib/repository.mjs";

const PACKAGES = [
  "client",
  "contracts",
  "core",
  "runledger",
  "runtime",
  "server",
  "store-memory",
  "store-postgres",
  "store-snowflake",
  "store-dynamodb",
];

for (const name of PACKAGES) {
  const dist = inRepository(`packages/${name}/dist`);
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
  await Promise.all(files.filter((file) => file.endsWith(".js")).map((file) => strip(join(dist, file))));
}

/** @param {string} file */
async function strip(file) {
  const text = readFileSync(file, "utf8");
  const { code } = await transform(text, { legalComments: "inline", minifySyntax: true });
  if (code.length < text.length) writeFileSync(file, code);
}
