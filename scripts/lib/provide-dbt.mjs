import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached, cachedPath } from "./cache-folder.mjs";
import { installPython } from "./python-environment.mjs";

const VERSION = "1.11.16";
const PACKAGES = [
  `dbt-core==${VERSION}`,
  "dbt-duckdb==1.11.1",
  "dbt-postgres==1.11.0",
  "dbt-adapters==1.24.5",
  "dbt-common==1.39.0",
  "duckdb==2.0.0",
];

/**
 * Returns the path of the program `dbt`, with its adapters for DuckDB and PostgreSQL. Installs it into a virtual environment of
 * Python in the cache folder, once.
 * @returns {Promise<string>}
 */
export async function provideDbt() {
  const name = `dbt-${VERSION}`;
  return join(await cached(name, (draft) => install(draft, cachedPath(name))), "bin", "dbt");
}

/**
 * @param {string} draft
 * @param {string} target
 */
async function install(draft, target) {
  await installPython(draft, PACKAGES);
  const program = join(draft, "bin", "dbt"); // written again, because it names the folder that it was installed in
  writeFileSync(program, `#!${target}/bin/python\nfrom dbt.cli.main import cli\ncli()\n`);
  chmodSync(program, 0o755);
  chmodSync(draft, 0o755);
}
