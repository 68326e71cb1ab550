/** dbt for tests, with its adapters for DuckDB and PostgreSQL, in a virtual environment of Python. */
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { cached, cachedPath } from "../../../scripts/lib/cache-folder.mjs";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { requireTool, type Requirement } from "./requirements.js";

const VERSION = "1.11.16";
const PACKAGES = [
  `dbt-core==${VERSION}`,
  "dbt-duckdb==1.11.1",
  "dbt-postgres==1.11.0",
  "dbt-adapters==1.24.5",
  "dbt-common==1.39.0",
  "duckdb==2.0.0",
];
const INSTALL_MS = 900_000;

export const requireDbt: readonly Requirement[] = [requireTool("python3")];

/** Returns the path of the program `dbt`. Installs it into the cache folder, once. */
export async function dbtProgram(): Promise<string> {
  const name = `dbt-${VERSION}`;
  const folder = await cached(name, (draft) => install(draft, cachedPath(name)));
  return join(folder, "bin", "dbt");
}

async function install(draft: string, target: string): Promise<void> {
  await must("python3", ["-m", "venv", draft], draft);
  await must(join(draft, "bin/python"), ["-m", "pip", "install", "--quiet", ...PACKAGES], draft);
  const program = join(draft, "bin", "dbt"); // written again, because it names the folder that it was installed in
  writeFileSync(program, `#!${target}/bin/python\nfrom dbt.cli.main import cli\ncli()\n`);
  chmodSync(program, 0o755);
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await capture(command, args, { cwd, timeoutMs: INSTALL_MS });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}

/** Copies the dbt project of the example into a folder that the test may change. */
export function shopProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(inRepository("examples/dbt-shop/shop"), folder, { recursive: true });
  return folder;
}
