/**
 * `npm run check`: all checks of the code that are not tests. Its stages are the `check:…` scripts of package.json;
 * all of them run, even after one has failed, so that one run shows all problems.
 */
import { inRepository, readJson } from "./lib/repository.mjs";
import { run } from "./lib/spawn.mjs";

const { scripts } = /** @type {{ scripts: Record<string, string> }} */ (readJson(inRepository("package.json")));
const stages = Object.keys(scripts).filter((name) => name.startsWith("check:"));

/** @type {string[]} */
const failed = [];
for (const stage of stages) if (!(await passes(stage))) failed.push(stage);

if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`);
console.log(`${stages.length - failed.length} stages passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** @param {string} stage */
async function passes(stage) {
  const started = Date.now();
  console.log(`== ${stage}`);
  const ok = (await run("npm", ["run", "--silent", stage])) === 0;
  console.log(`== ${stage}: ${ok ? "passed" : "FAILED"} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return ok;
}
