import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tsBlocks } from "../../scripts/lib/markdown.mjs";
import { packAll } from "../../scripts/lib/pack.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture, tool } from "../../scripts/lib/spawn.mjs";
import { asCommonJs } from "../support/as-common-js.js";
import { consumerProject, installers, runIn } from "../support/consumer-project.js";

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
afterAll(() => rmSync(tarballs, { recursive: true, force: true }));

test("[L-05] the README has code to run", () => {
  expect(readme).toContain("import ");
});

describe.each(["npm", "pnpm"] as const)(
  "[L-05] the packed packages, installed with %s and without scripts",
  (manager) => {
    let project: string;

    beforeAll(async () => {
      project = consumerProject(packed);
      const [command, ...args] = installers[manager];
      const { code, stdout, stderr } = await capture(command, args, { cwd: project });
      expect(code, stdout + stderr).toBe(0);
      writeFileSync(join(project, "readme.ts"), readme);
    }, 180_000);
    afterAll(() => rmSync(project, { recursive: true, force: true }));

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
  },
);
