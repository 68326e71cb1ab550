/**
 * `npm run check:prose`: checks comments, strings, test titles and documents against the language rules of
 * CONTRIBUTING.md.
 *
 *   node scripts/check-prose.mjs [path…]   prints what it finds below the paths; without any, compares with the baseline
 *   node scripts/check-prose.mjs --count   prints the counts per folder
 *   node scripts/check-prose.mjs --update  lowers the baseline to the current counts; with --force, raises it for a new rule
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { judge, sorted } from "./lib/prose-baseline.mjs";
import { isRead } from "./lib/prose-text.mjs";
import { findings } from "./lib/prose.mjs";
import { inRepository, readJson, root } from "./lib/repository.mjs";

const BASELINE = "scripts/prose-baseline.json";
/** The list of phrases, the test that plants them, texts of others, and copies of SQL that is checked elsewhere. */
const NOT_CHECKED = [
  "scripts/lib/prose.mjs",
  "tests/repository/prose.test.ts",
  "package-lock.json",
  "packages/store-postgres/schema/",
  "packages/store-snowflake/src/golden/",
  "reports/",
];

const options = process.argv.slice(2);
const paths = options.filter((option) => !option.startsWith("--"));
const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter(
    (file) =>
      file !== "" &&
      isRead(file) &&
      !NOT_CHECKED.some((path) => file.startsWith(path)) &&
      existsSync(inRepository(file)),
  );
const files = tracked.filter((file) => paths.length === 0 || paths.some((path) => isBelow(file, path)));
const found = files.flatMap((file) => findings(file, readFileSync(inRepository(file), "utf8")));
const baseline = /** @type {Record<string, number>} */ (readJson(inRepository(BASELINE)));
/** @type {Record<string, number>} */
const counts = {};
for (const { file } of found) counts[file] = (counts[file] ?? 0) + 1;

if (options.includes("--count")) printCounts();
else if (options.includes("--update")) update();
else if (paths.length > 0) print(found);
else compare();

/** @param {string} file @param {string} path */
function isBelow(file, path) {
  const clean = path.replace(/^\.\//, "").replace(/\/$/, "");
  return file === clean || file.startsWith(`${clean}/`);
}

/** @param {readonly import("./lib/prose.mjs").Finding[]} list */
function print(list) {
  for (const { file, line, phrase, advice } of list) console.log(`${file}:${line}  "${phrase}": ${advice}`);
  console.log(`${files.length} files, ${list.length} phrases to rewrite`);
  process.exitCode = list.length > 0 ? 1 : 0;
}

function printCounts() {
  /** @type {Record<string, number>} */
  const folders = {};
  for (const { file } of found) {
    const parts = file.split("/");
    const folder = parts.slice(0, Math.min(parts.length - 1, parts[0] === "packages" ? 4 : 2)).join("/") || ".";
    folders[folder] = (folders[folder] ?? 0) + 1;
  }
  for (const [folder, count] of Object.entries(folders).toSorted(([a], [b]) => a.localeCompare(b)))
    console.log(`${String(count).padStart(6)}  ${folder}`);
  console.log(`${String(found.length).padStart(6)}  in all`);
}

function update() {
  const { risen } = judge(counts, baseline, (file) => existsSync(inRepository(file)));
  if (risen.length > 0 && !options.includes("--force")) return compare();
  writeFileSync(inRepository(BASELINE), `${JSON.stringify(sorted(counts), null, 2)}\n`);
  console.log(`${BASELINE}: ${found.length} phrases in ${Object.keys(sorted(counts)).length} files`);
}

function compare() {
  const { risen, fallen } = judge(counts, baseline, (file) => existsSync(inRepository(file)));
  for (const { file, line, phrase, advice } of found.filter((finding) => risen.includes(finding.file))) {
    console.error(`${file}:${line}  "${phrase}": ${advice}`);
  }
  if (fallen > 0) console.log(`${fallen} phrases fewer than the baseline: run "node scripts/check-prose.mjs --update"`);
  console.log(`${files.length} files, ${found.length} phrases, ${risen.length} files above the baseline`);
  process.exitCode = risen.length > 0 ? 1 : 0;
}
