/**
 * `npm run bench`: ratios against the raw limit and the best known peers, side by side in one run on one server.
 * A bench is a file below suites/.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { installPeers } from "./lib/install.mjs";
import { machine } from "./lib/machine.mjs";
import { markdown, table } from "./lib/report.mjs";
import { saveResults } from "./lib/saved-results.mjs";
import { startServer } from "./lib/server.mjs";
import { judge } from "./lib/suite.mjs";
import { loadSuites } from "./lib/suites.mjs";

const HELP = `npm run bench -- [options]

  --only NAME,NAME  run these benches only
  --json FILE       write [{ name, ratio, target, met }] to FILE
  --write           write the results into bench/RESULTS.md; benches that did not run keep theirs
  --rounds N        alternating rounds of each comparison (default 5)
  --seconds S       length of each side's part of a round (default 1.5)
  --list            print the names of the benches
  --help            print this

The server is an embedded PostgreSQL that lives for this run, or the one of RUNLEDGER_BENCH_POSTGRES
(postgres://…, may create databases; fsync and synchronous_commit must be on).
`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "string" },
    write: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1.5" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (options.help) process.stdout.write(HELP);
else if (options.list) for (const { name } of await loadSuites()) console.log(name);
else await main();

async function main() {
  installPeers();
  const suites = await loadSuites(options.only?.split(","));
  const server = await startServer();
  try {
    /** @type {import("./lib/suite.mjs").Result[]} */
    const results = [];
    for (const suite of suites) results.push(await runSuite(server, suite));
    await report(results, server.version);
  } finally {
    await server.stop();
  }
}

/**
 * @param {import("./lib/server.mjs").Server} server
 * @param {import("./lib/suite.mjs").Suite} suite
 */
async function runSuite(server, suite) {
  /** @type {import("./lib/server.mjs").Database[]} */
  const databases = [];
  const say = (/** @type {string} */ text) => void process.stderr.write(`${suite.name}: ${text}\n`);
  const started = performance.now();
  try {
    const outcome = await suite.run({
      rounds: Number(options.rounds),
      roundMs: Number(options.seconds) * 1000,
      say,
      database: async (name) => {
        const database = await server.create(name);
        databases.push(database);
        return database.url;
      },
    });
    const result = judge(suite, outcome);
    say(`${result.ratio.toFixed(2)} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
    return result;
  } finally {
    for (const { drop } of databases) await drop();
  }
}

/**
 * @param {readonly import("./lib/suite.mjs").Result[]} results
 * @param {string} version
 */
async function report(results, version) {
  console.log(table(results));
  if (options.json !== undefined) {
    const rows = results.map(({ name, ratio, target, met }) => ({ name, ratio, target, met }));
    writeFileSync(options.json, `${JSON.stringify(rows, null, 2)}\n`);
  }
  if (options.write) {
    const all = saveResults(results, new Date().toISOString().slice(0, 10));
    writeFileSync(new URL("RESULTS.md", import.meta.url), await markdown(all, machine(version)));
  }
}
