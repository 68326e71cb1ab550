/** Fresh clones of this repository on other Node versions. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { inRepository, readJson } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { failures, type TestReport } from "../../../scripts/lib/test-report.mjs";

export const OTHER_NODES = [22, 24];

/** Installs a fresh clone with this Node and runs its tests, or those whose paths contain one of `only`. */
export async function passesOnNode(major: number, only: readonly string[] = []): Promise<void> {
  const folder = freshFolder();
  const env = { PATH: await pathWithNode(major, folder), RUNLEDGER_REQUIRE_ALL: "1" };
  const checkout = join(folder, "checkout");
  await must("git", ["clone", "--quiet", inRepository("."), checkout], { cwd: folder });
  await must("npm", ["ci"], { cwd: checkout, env });
  const { code, stdout } = await capture("npm", ["test", ...(only.length > 0 ? ["--", ...only] : [])], {
    cwd: checkout,
    env,
  });
  const report = only.length > 0 ? "reports/partial.json" : "reports/test.json";
  const { node, tests } = readJson(join(checkout, report)) as TestReport;
  expect(node).toMatch(new RegExp(`^v${major}\\.`));
  expect(failures(tests)).toEqual([]);
  expect([code, stdout.slice(-2000)]).toEqual([0, expect.any(String)]);
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "node-"));
  chmodSync(folder, 0o755); // as root, the database of the tests runs as another user, who must get through here
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

async function pathWithNode(major: number, folder: string): Promise<string> {
  const args = ["exec", "--yes", `--package=node@${major}`, "--", "node", "-p", "process.execPath"];
  const node = (await must("npm", args, { cwd: folder })).trim().split("\n").at(-1)!;
  const bin = join(folder, "bin");
  mkdirSync(bin);
  copyFileSync(node, join(bin, "node")); // out of npm's cache, where tests that run as another user could not reach it
  return `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
}

async function must(command: string, args: readonly string[], options: { cwd: string; env?: Record<string, string> }) {
  const { code, stdout, stderr } = await capture(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
  return stdout;
}
