/** `npm run check:imports`: holds the import rule against every source file below packages/, tests/ and examples/. */
import { readFileSync } from "node:fs";
import { violations } from "./lib/import-rule.mjs";
import { filesBelow, inRepository, packages } from "./lib/repository.mjs";

const folders = packages().flatMap(({ folder }) => [`packages/${folder}/src`, `packages/${folder}/tests`]);
const files = [...folders, "tests", "examples"]
  .flatMap((folder) => filesBelow(folder))
  .filter((path) => /\.(tsx?|mjs)$/.test(path) && !/\/(node_modules|dist)\//.test(path));
const broken = files.flatMap((path) => violations({ path, text: readFileSync(inRepository(path), "utf8") }));

for (const violation of broken) console.error(violation);
console.log(`${files.length} files, ${broken.length} violations of the import rule`);
process.exitCode = broken.length > 0 ? 1 : 0;
