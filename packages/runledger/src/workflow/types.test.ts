/** The type tests, compiled as they stand, and with one wrong line in them: what they show must be able to fail. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inRepository } from "../../../../scripts/lib/repository.mjs";
import { capture, tool } from "../../../../scripts/lib/spawn.mjs";

const here = "packages/runledger/src/workflow";
const read = (name: string) => readFileSync(inRepository(`${here}/${name}.test-d.ts`), "utf8");
let folder: string;

/** Inside the workspace, so that our packages are found as a user's project would find them. */
beforeEach(() => {
  mkdirSync(inRepository("reports"), { recursive: true });
  folder = mkdtempSync(inRepository("reports/types-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

async function compile(files: Readonly<Record<string, string>>): Promise<{ code: number | null; stdout: string }> {
  const names = Object.keys(files).map((name) => `${name}.ts`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.ts`), text);
  const config = { extends: inRepository("tsconfig.check.json"), files: names, include: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return capture(tool("tsc"), ["-p", folder]);
}

test("[E-01] outputs, items, branches, children, signals and results are inferred; 34 mistakes do not compile", async () => {
  const files = { vocabulary: read("vocabulary"), documented: read("documented"), refused: read("refused") };
  const { code, stdout } = await compile(files);
  expect(code, stdout).toBe(0);
  expect(files.refused.match(/@ts-expect-error/g)).toHaveLength(34);
});

test.each([
  ["a refusal that no longer holds", "refused", "() => ({ at: new Date() })", "() => ({ at: 1 })", "TS2578"],
  ["a mistake", "refused", "  // @ts-expect-error not in needs\n", "", "TS2339"],
  ["another type of items", "vocabulary", "toEqualTypeOf<Items<number>>()", "toEqualTypeOf<Items<string>>()", "TS2344"],
  ["another result", "documented", "toEqualTypeOf<{ ok: true }>()", "toEqualTypeOf<{ ok: boolean }>()", "TS2344"],
])("[E-01] one wrong line is found: %s in %s", async (_, name, right, wrong, code) => {
  const text = read(name);
  expect(text).toContain(right);
  const compiled = await compile({ [name]: text.replace(right, wrong) });
  expect(compiled.code).not.toBe(0);
  expect(compiled.stdout).toContain(code);
});
