import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileLinks, type CodeBlock } from "../../scripts/lib/markdown.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture, tool } from "../../scripts/lib/spawn.mjs";
import { refusedBy, words } from "../support/command-line.js";
import { codeBlocks, documents } from "../support/documents.js";

const blocks = codeBlocks();
const nameOf = ({ file, line }: CodeBlock) => `${file.replaceAll(/[^A-Za-z0-9]+/g, "-")}-${line}`;

describe("[L-04] code in documents", () => {
  /** Inside the workspace, so that our packages are found as a user's project would find them. */
  let sources: string;
  /** What examples write goes here; the embedded database's own user must be able to enter it. */
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

  test.each(blocks.filter(({ run }) => run))("$file:$line runs", async (block) => {
    const cwd = join(workplace, nameOf(block));
    mkdirSync(cwd);
    const program = join(sources, "out", `${nameOf(block)}.mjs`);
    const { code, stderr } = await capture(process.execPath, [program], { cwd, timeoutMs: 60_000 });
    expect(code, stderr).toBe(0);
  });
});

test("[L-04] links in documents lead to files that exist", () => {
  const dead = documents().flatMap(({ path, text }) =>
    fileLinks(text)
      .filter((target) => !existsSync(join(inRepository(dirname(path)), target)))
      .map((target) => `${path} -> ${target}`),
  );
  expect(dead).toEqual([]);
});

/** What a reader would type: lines of blocks, and code within a line. */
function typed(text: string): string[] {
  const lines = text.matchAll(/^(?:\$ |[A-Z_]+=\S+ )*(?:npx )?runledger ([a-z].*)$/gm);
  const inline = text.matchAll(/`(?:npx )?runledger ([a-z][^`\n]*)`/g);
  return [...lines, ...inline].map(([, line]) => line!.split(/ {2,}| [|&#]/)[0]!);
}

test("[U-40] commands in documents are commands of ours, with options that they have", () => {
  const wrong = documents()
    .filter(({ path }) => path !== "docs/reference/cli.md") // made from the program
    .flatMap(({ path, text }) => typed(text).map((line) => ({ path, line, why: refusedBy(words(line)) })))
    .filter(({ why }) => why !== null);
  expect(wrong).toEqual([]);
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
