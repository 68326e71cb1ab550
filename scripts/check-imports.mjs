/** `npm run check:imports`: holds the import rule against every source file below packages/. */
import { readFileSync } from "node:fs";
import { violations } from "./lib/import-rule.mjs";
import { filesBelow, inRepository, packages } from "./lib/repository.mjs";

const files = packages()
  .flatMap(({ folder }) => filesBelow(`packages/${folder}/src`))
  .filter((path) => /\.tsx?$/.test(path));
const broken = files.flatMap((path) => violations({ path, text: readFileSync(inRepository(path), "utf8") }));

for (const violation of broken) console.error(violation);
console.log(`${files.length} files, ${broken.length} violations of the import rule`);
process.exitCode = broken.length > 0 ? 1 : 0;
