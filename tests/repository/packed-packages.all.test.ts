// @module-tag L-05
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tsBlocks } from "../../scripts/lib/markdown.mjs";
import { packAll } from "../../scripts/lib/pack.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture, tool } from "../../scripts/lib/spawn.mjs";
import { asCommonJs } from "@runledger/test-support/as-common-js";
import { consumerProject, installers, runIn } from "@runledger/test-support/consumer-project";
import { freshFolder, runledger, startRunledger } from "@runledger/test-support/runledger-command";

const readme = tsBlocks("README.md", readFileSync(inRepository("README.md"), "utf8"))[0]?.code ?? "";
const resolutions = [
  { resolution: "nodenext", module: "nodenext" },
  { resolution: "bundler", module: "esnext" },
] as const;
const timeoutMs = 90_000;

let tarballs: string;
let packed: Awaited<ReturnType<typeof packAll>>;

beforeAll(async () => {
  tarballs = mkdtempSync(join(tmpdir(), "runledger-tarballs-"));
  packed = await packAll(tarballs);
}, 60_000);
afterAll(() => rmSync(tarballs, { recursive: true, force: true, maxRetries: 20 }));

test("the README has code to run", () => {
  expect(readme).toContain("import ");
});

describe.each(["npm", "pnpm"] as const)("the packed packages, installed with %s and without scripts", (manager) => {
  let project: string;

  beforeAll(async () => {
    project = consumerProject(packed);
    const [command, ...args] = installers[manager];
    const { code, stdout, stderr } = await capture(command, args, { cwd: project });
    expect(code, stdout + stderr).toBe(0);
    writeFileSync(join(project, "readme.ts"), readme);
  }, 180_000);
  afterAll(() => rmSync(project, { recursive: true, force: true, maxRetries: 20 }));

  test.each(resolutions)(
    "the README's code compiles ($resolution) and runs as an ES module",
    async (resolution) => {
      await compile(resolution);
      await expectToRun("readme.js");
    },
    timeoutMs,
  );

  test(
    "the README's code runs through require",
    async () => {
      await compile(resolutions[0]);
      writeFileSync(join(project, "readme.cjs"), asCommonJs(readFileSync(join(project, "readme.js"), "utf8")));
      await expectToRun("readme.cjs");
    },
    timeoutMs,
  );

  async function compile({ module, resolution }: (typeof resolutions)[number]): Promise<void> {
    const options = ["--strict", "--target", "es2022", "--types", "node", "--module", module];
    const args = [...options, "--moduleResolution", resolution, "readme.ts"];
    const { code, stdout } = await capture(tool("tsc"), args, { cwd: project });
    expect(code, stdout).toBe(0);
  }

  async function expectToRun(file: string): Promise<void> {
    const { code, stdout, stderr } = await runIn(project, file, { timeoutMs });
    expect(code, stderr).toBe(0);
    expect(stdout).not.toBe("");
  }
});

test(
  "init's project installs, type-checks, passes its test and runs",
  { tags: ["U-22", "N-33"], timeout: 300_000 },
  async () => {
    const cwd = freshFolder();
    expect(await runledger({ cwd }, "init", "my project")).toMatchObject({ code: 0 });
    const again = await runledger({ cwd }, "init", "my project");
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error OPTION_INVALID .*already exists.*\n$/) as string,
    });
    const project = join(cwd, "my project");
    dependOnTarballs(join(project, "package.json"));
    expect(readFileSync(join(project, "README.md"), "utf8")).toMatch(/^# my-project\n/);
    const [command, ...args] = installers.npm;
    const installed = await capture(command, args, { cwd: project });
    expect(installed.code, installed.stdout + installed.stderr).toBe(0);
    const tested = await capture("npm", ["test"], { cwd: project });
    expect(tested.code, tested.stdout + tested.stderr).toBe(0);
    expect(tested.stdout).toMatch(/pass 1\b/);
    const dev = startRunledger({ cwd: project }, "dev", "--port", "0");
    await dev.says("Stop ");
    const { stdout } = await runledger({ cwd: project }, "run", "welcome", "--input", `{"name":"you"}`, "--json");
    const { runId } = JSON.parse(stdout) as { runId: string };
    expect(await runledger({ cwd: project }, "signal", runId, "confirm", `{"by":"me"}`)).toMatchObject({ code: 0 });
    const watched = await runledger({ cwd: project }, "events", runId, "--follow");
    expect(watched.stdout).toContain("RunCompleted");
  },
);

/** Uses the packed tarballs, because the packages are not published. */
function dependOnTarballs(file: string): void {
  const manifest = JSON.parse(readFileSync(file, "utf8")) as { name: string; dependencies: Record<string, string> };
  expect(manifest.name).toBe("my-project");
  const files = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const dependencies = { ...manifest.dependencies, ...files };
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies }));
}
