/** `npm run lockfile`, after `npm install` changed one: adds the optional packages that the registry did not return. */
import { renameSync, writeFileSync } from "node:fs";
import { completed, missingOptional } from "./lib/lockfile.mjs";
import { inRepository, readJson } from "./lib/repository.mjs";

for (const path of ["package-lock.json", "tests/temporal/package-lock.json"]) {
  const file = inRepository(path);
  const lockfile = /** @type {import("./lib/lockfile.mjs").Lockfile} */ (readJson(file));
  writeFileSync(`${file}.new`, `${JSON.stringify(completed(lockfile), null, 2)}\n`);
  renameSync(`${file}.new`, file);
  console.log(`${missingOptional(lockfile).length} entries added to ${path}`);
}
