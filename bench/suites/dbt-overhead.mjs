import { mkdtempSync, rmSync } from "node:fs";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { dbt, dbtRunner } from "@runledger/dbt";
import { connect, workflow } from "runledger";
import { provideDbt } from "../../scripts/lib/provide-dbt.mjs";
import { sixtyNodes } from "../../scripts/lib/sixty-nodes.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { alternate, median } from "../lib/rounds.mjs";

const PROFILES = `shop:
  target: duckdb
  outputs:
    duckdb: { type: duckdb, path: "{{ env_var('SHOP_DATABASE') }}", threads: 2 }
`;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "dbt-overhead",
  measure: "wall time of a dbt project of 60 nodes on DuckDB as a durable run, against plain dbt build",
  target: 1.05,
  reach: "at most",
  async run(bench) {
    const folder = mkdtempSync(join(tmpdir(), "bench-dbt-"));
    const program = await provideDbt();
    const ledger = await connect(await bench.database("dbt-overhead"));
    try {
      const project = writeProject(join(folder, "sixty"));
      const database = join(folder, "sixty.duckdb");
      const sixty = workflow("sixty", { version: "1" }, (w) =>
        dbt(w, "build", { project, env: { SHOP_DATABASE: database } }),
      );
      await ledger.worker({ workflows: [sixty], runners: { dbt: dbtRunner({ program }) } });
      const ours = () => timed(database, async () => void (await (await ledger.start(sixty)).result()));
      const other = () => timed(database, () => plainBuild(program, project, database));
      const result = await alternate(bench, async () => ({ ours, other }));
      const seconds = (/** @type {{ value: number }[]} */ side) =>
        (median(side.map(({ value }) => value)) / 1000).toFixed(2);
      return {
        ratio: result.ratio,
        details: [`ours ${seconds(result.ours)} s`, `plain dbt build ${seconds(result.other)} s`],
      };
    } finally {
      await ledger.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** @param {string} folder */
function writeProject(folder) {
  for (const [name, text] of Object.entries({ ...sixtyNodes(), "profiles.yml": PROFILES })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/**
 * Every build starts with an empty warehouse.
 * @param {string} database
 * @param {() => Promise<void>} build
 */
async function timed(database, build) {
  rmSync(database, { force: true });
  const start = performance.now();
  await build();
  return { value: performance.now() - start };
}

/**
 * @param {string} program
 * @param {string} project
 * @param {string} database
 */
async function plainBuild(program, project, database) {
  const args = ["build", "--project-dir", project, "--profiles-dir", project];
  const { code, stdout } = await capture(program, args, { cwd: project, env: { SHOP_DATABASE: database } });
  if (code !== 0) throw new Error(`dbt build failed: ${stdout}`);
}
