/** The two commands of the README on the other Node versions, in a fresh clone of what is committed. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { failures, type TestReport } from "../../scripts/lib/test-report.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "node-"));
  chmodSync(folder, 0o755); // as root, the database of the tests runs as another user, who must get through here
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

async function must(command: string, args: readonly string[], options: { cwd: string; env?: Record<string, string> }) {
  const { code, stdout, stderr } = await capture(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
  return stdout;
}

async function pathWithNode(major: number): Promise<string> {
  const args = ["exec", "--yes", `--package=node@${major}`, "--", "node", "-p", "process.execPath"];
  const node = (await must("npm", args, { cwd: folder })).trim().split("\n").at(-1)!;
  const bin = join(folder, "bin");
  mkdirSync(bin);
  copyFileSync(node, join(bin, "node")); // out of npm's cache, where tests that run as another user could not reach it
  return `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
}

test.each([22, 24])("[L-01] npm ci && npm test passes on Node %i", { timeout: 1_800_000 }, async (major) => {
  const env = { PATH: await pathWithNode(major), RUNLEDGER_REQUIRE_ALL: "1" };
  const checkout = join(folder, "checkout");
  await must("git", ["clone", "--quiet", inRepository("."), checkout], { cwd: folder });
  await must("npm", ["ci"], { cwd: checkout, env });
  const { code, stdout } = await capture("npm", ["test"], { cwd: checkout, env });
  const { node, tests } = readJson(join(checkout, "reports/test.json")) as TestReport;
  expect(node).toMatch(new RegExp(`^v${major}\\.`));
  expect(failures(tests)).toEqual([]);
  expect([code, stdout.slice(-2000)]).toEqual([0, expect.any(String)]);
});
