/**
 * Plants bugs, one at a time, and runs the tests beside them.
 *   node scripts/mutants.mjs AREA|planted [--seed TEXT] [--sample N] [--from N] [--only TEXT] [--near]
 * `planted` runs the listed bugs only; an area runs its listed bugs and a sample of generated ones. `--from 20` continues a
 * run that was interrupted after 20 mutants. `--near` runs only the tests of the source's own name and the clauses that concern
 * it: this takes less time, and a mutant that only other tests would find counts as survived.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { filesBelow, inRepository } from "./lib/repository.mjs";
import { areaOf, areas, clausesFor } from "./mutants/areas.mjs";
import { mutantsOf, sample } from "./mutants/collect.mjs";
import { confirmedVerdict, passWithoutMutant } from "./mutants/confirm.mjs";
import { openJudge } from "./mutants/judge.mjs";
import { plantedMutants } from "./mutants/planted.mjs";
import { isFailure, summary } from "./mutants/report.mjs";
import { reasonFor } from "./mutants/survivors.mjs";

/**
 * @typedef {import("./mutants/collect.mjs").Mutant} Mutant
 * @typedef {import("./mutants/report.mjs").Result} Result
 * @typedef {Mutant & { planted: boolean, tests: import("./mutants/host.mjs").Tests[] }} Chosen
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    sample: { type: "string" },
    from: { type: "string", default: "0" },
    only: { type: "string" },
    near: { type: "boolean", default: false },
  },
});
const [name = ""] = positionals;
if (name !== "planted" && !Object.hasOwn(areas, name)) {
  console.error(`Name what to test: planted, ${Object.keys(areas).join(", ")}.`);
  process.exit(2);
}

const judge = openJudge();
try {
  const mutants = chosen();
  await passWithoutMutant(judge, testsOf(mutants));
  console.log("The tests pass without a mutant.");
  const results = await judgeAll(mutants);
  await passWithoutMutant(judge, testsOf(mutants));
  mkdirSync(inRepository("reports"), { recursive: true });
  writeFileSync(inRepository(`reports/mutants-${name}.json`), JSON.stringify(results, null, 2));
  for (const line of summary(name, results)) console.log(line);
  process.exitCode = isFailure(name, results) ? 1 : 0;
} finally {
  await judge.close();
}

/** @returns {Chosen[]} */
function chosen() {
  const listed = plantedMutants().filter(({ file }) => name === "planted" || areaOf(file) === name);
  const area = areas[name];
  const generated =
    area === undefined ? [] : sample(mutantsOf(area), values.seed, Number(values.sample ?? area.sample));
  const all = [
    ...listed.map((mutant) => ({ ...mutant, planted: true })),
    ...generated.map((mutant) => ({
      ...mutant,
      planted: false,
      tests: values.near ? nearTests(mutant.file) : testsFor(mutant.file),
    })),
  ];
  const left = all.slice(Number(values.from));
  return left.filter(({ file, after }) => values.only === undefined || `${file} ${after}`.includes(values.only));
}

/** Each test file of the mutants once: vitest loads a file only once in a process. @param {readonly Chosen[]} mutants */
function testsOf(mutants) {
  const all = mutants.flatMap(({ tests }) => tests);
  return [...new Set(all.map(({ file }) => file))].map((file) => {
    const titles = all.filter((tests) => tests.file === file).map(({ title }) => title);
    return titles.includes(undefined) ? { file } : { file, title: [...new Set(titles)].join("|") };
  });
}

/** @param {readonly Chosen[]} mutants @returns {Promise<Result[]>} */
async function judgeAll(mutants) {
  /** @type {Result[]} */
  const results = [];
  for (const { content, original, tests, ...mutant } of mutants) {
    const verdict = await verdictOf({ file: mutant.file, content, original }, tests);
    const reason = verdict.killed ? "" : (reasonFor(mutant) ?? "");
    results.push({ ...mutant, ...verdict, reason });
    const outcome = verdict.killed ? (verdict.timedOut ? "timeout " : "killed  ") : "SURVIVED";
    console.log(`${outcome} ${mutant.file}:${mutant.line} ${mutant.after} [${verdict.by || verdict.why}]`);
  }
  return results;
}

/**
 * Runs the clauses that concern the source before everything else: most mutants fail there.
 * @param {import("./mutants/host.mjs").Planted} planted @param {import("./mutants/host.mjs").Tests[]} tests
 */
async function verdictOf(planted, tests) {
  const clauses = values.near ? [] : clausesFor(areas[name], planted.file);
  const early = clauses.length === 0 ? null : await confirmedVerdict(judge, { planted, tests: clauses });
  return early?.killed ? early : confirmedVerdict(judge, { planted, tests });
}

/** The tests in the folder of the source first, the one with its name before the others. @param {string} source */
function testsFor(source) {
  const area = areas[areaOf(source) ?? ""];
  const listed = [...(area?.tests ?? []), ...alsoFor(source)].flatMap((path) =>
    path.endsWith(".ts") ? [path] : filesBelow(path),
  );
  const files = listed.filter((file) => file.endsWith(".test.ts") && !/\.(all|long)\.test\.ts$/.test(file));
  const nearest = [...new Set(files)].toSorted((a, b) => distance(a, source) - distance(b, source));
  return nearest.map((file) => {
    const title = area?.titles?.[file];
    return title === undefined ? { file } : { file, title };
  });
}

/** @param {string} source */
function alsoFor(source) {
  const also = Object.entries(areas[areaOf(source) ?? ""]?.also ?? {});
  return also.flatMap(([folder, tests]) => (source.startsWith(folder) ? tests : []));
}

/** @param {string} source @returns {import("./mutants/host.mjs").Tests[]} */
function nearTests(source) {
  const also = alsoFor(source);
  const own = testsFor(source).filter(({ file }) => distance(file, source) === 0 || also.includes(file));
  const near = [...own, ...clausesFor(areas[name], source)];
  return near.length > 0 ? near : testsFor(source);
}

/** @param {string} test @param {string} source */
function distance(test, source) {
  if (test === source.replace(/\.ts$/, ".test.ts")) return 0;
  return test.startsWith(source.slice(0, source.lastIndexOf("/") + 1)) ? 1 : 2;
}
