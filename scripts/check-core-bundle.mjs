/** `npm run check:core-bundle`: every recorded history is folded and decided alike in every bundle, and each is small. */
import { readFileSync } from "node:fs";
import { coreBundles, LIMIT_BYTES } from "./lib/core-bundle.mjs";
import { historyFiles } from "./lib/histories.mjs";
import { inRepository } from "./lib/repository.mjs";

const bundles = await coreBundles();
const tooLarge = bundles.filter(({ gzipped }) => gzipped > LIMIT_BYTES);
const unequal = [];
for (const path of historyFiles) if (!(await foldsEqual(path))) unequal.push(path);

for (const { name, gzipped } of bundles) console.log(`${name}: ${(gzipped / 1024).toFixed(1)} KB gzipped`);
console.log(`${historyFiles.length} histories folded and decided in each`);
for (const { name } of tooLarge) console.error(`${name} is over ${LIMIT_BYTES / 1024} KB gzipped`);
for (const path of unequal) console.error(`${path} is not the same in each bundle`);
process.exitCode = tooLarge.length + unequal.length > 0 || historyFiles.length === 0 ? 1 : 0;

/** @param {string} path */
async function foldsEqual(path) {
  const history = readFileSync(inRepository(path), "utf8");
  const states = await Promise.all(bundles.map((bundle) => bundle.fold(history)));
  return new Set(states).size === 1;
}
