// @module-tag L-04
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileLinks, type CodeBlock } from "../../scripts/lib/markdown.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture, tool } from "../../scripts/lib/spawn.mjs";
import { codeBlocks, documents } from "@runledger/test-support/documents";

const blocks = codeBlocks();
const nameOf = ({ file, line }: CodeBlock) => `${file.replaceAll(/[^A-Za-z0-9]+/g, "-")}-${line}`;

describe("code in documents", () => {
  /** Inside the workspace, so that our packages are found as a user's project would find them. */
  let sources: string;
  /** The working directory of the examples. The user of the embedded database must be able to enter it. */
  let workplace: string;

  beforeAll(() => {
    mkdirSync(inRepository("reports"), { recursive: true });
    sources = mkdtempSync(inRepository("reports/docs-code-"));
    workplace = mkdtempSync(join(tmpdir(), "runledger-docs-code-"));
    chmodSync(workplace, 0o755);
    for (const block of blocks) writeFileSync(join(sources, `${nameOf(block)}.mts`), numberedAsInDocument(block));
    writeFileSync(join(sources, "tsconfig.json"), JSON.stringify(config()));
  });
  afterAll(() => {
    for (const folder of [sources, workplace]) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  test("compiles", async () => {
    const { code, stdout } = await capture(tool("tsc"), ["-p", sources]);
    expect(code, stdout).toBe(0);
  });

  /** A block that leaves no files behind meets the same world when it runs again. */
  test.each(blocks.filter(({ run }) => run))("$file:$line runs, and runs again", { tags: ["R-40"] }, async (block) => {
    expect({ time: "first", ...(await runs(block)) }).toEqual({ time: "first", code: 0, stderr: "" });
    if (readdirSync(join(workplace, nameOf(block))).length === 0) return;
    expect({ time: "second", ...(await runs(block)) }).toEqual({ time: "second", code: 0, stderr: "" });
  });

  /** Runs a block in its own folder, which it finds again when it runs a second time. */
  async function runs(block: CodeBlock): Promise<{ code: number | null; stderr: string }> {
    const cwd = join(workplace, nameOf(block));
    mkdirSync(cwd, { recursive: true });
    const program = join(sources, "out", `${nameOf(block)}.mjs`);
    const { code, stderr } = await capture(process.execPath, [program], { cwd, timeoutMs: 240_000 });
    return { code, stderr: code === 0 ? "" : stderr };
  }
});

test("links in documents lead to files that exist", () => {
  const dead = documents().flatMap(({ path, text }) =>
    fileLinks(text)
      .filter((target) => !existsSync(join(inRepository(dirname(path)), target)))
      .map((target) => `${path} -> ${target}`),
  );
  expect(dead).toEqual([]);
});

/** Line numbers in messages are those of the document. */
function numberedAsInDocument({ line, code }: CodeBlock): string {
  return "\n".repeat(line - 1) + code;
}

function config(): object {
  const relaxed = { composite: false, declaration: false, declarationMap: false, sourceMap: false };
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  return {
    extends: inRepository("tsconfig.base.json"),
    compilerOptions: { ...relaxed, ...unused, rootDir: ".", outDir: "out", noEmitOnError: false, types: ["node"] },
    include: ["*.mts"],
  };
}
