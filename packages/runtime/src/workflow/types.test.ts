// @module-tag E-01
/** Compiles the type tests, and beside them copies with one wrong line each, to show that they can fail. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository } from "../../../../scripts/lib/repository.mjs";
import { capture, tool } from "../../../../scripts/lib/spawn.mjs";

const here = "packages/runtime/src/workflow";
const read = (name: string) => readFileSync(inRepository(`${here}/${name}.test-d.ts`), "utf8");

const TYPE_TESTS = ["vocabulary", "documented", "refused"];
const WRONG_LINES = [
  ["a refusal that no longer holds", "refused", "() => ({ at: new Date() })", "() => ({ at: 1 })", "TS2578"],
  ["a mistake", "refused", "  // @ts-expect-error not in needs\n", "", "TS2339"],
  ["another type of items", "vocabulary", "toEqualTypeOf<Items<number>>()", "toEqualTypeOf<Items<string>>()", "TS2344"],
  ["another result", "documented", "toEqualTypeOf<{ ok: true }>()", "toEqualTypeOf<{ ok: boolean }>()", "TS2344"],
] as const;

let folder: string;
/** Lines of the compiler. All files are compiled at once, because most of the time goes into our packages. */
let problems: readonly string[];

const fileOf = (title: string): string => title.replaceAll(" ", "-");
const problemsIn = (file: string): readonly string[] => problems.filter((line) => line.includes(`${file}.ts(`));

/** Inside the workspace, so that our packages resolve as in a user's project. */
beforeAll(async () => {
  mkdirSync(inRepository("reports"), { recursive: true });
  folder = mkdtempSync(inRepository("reports/types-"));
  const files = new Map(TYPE_TESTS.map((name) => [name, read(name)]));
  for (const [title, name, right, line] of WRONG_LINES) files.set(fileOf(title), read(name).replace(right, line));
  problems = await compile(files);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

async function compile(files: ReadonlyMap<string, string>): Promise<string[]> {
  const names = [...files.keys()].map((name) => `${name}.ts`);
  for (const [name, text] of files) writeFileSync(join(folder, `${name}.ts`), text);
  const config = { extends: inRepository("tsconfig.check.json"), files: names, include: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = await capture(tool("tsc"), ["-p", folder, "--pretty", "false"]);
  return stdout.split("\n").filter((line) => /^\S/.test(line)); // the others continue a message
}

test("outputs, items, branches, children, signals and results are inferred; 38 mistakes do not compile", () => {
  const known = WRONG_LINES.flatMap(([title]) => problemsIn(fileOf(title)));
  expect(problems.filter((line) => !known.includes(line))).toEqual([]);
  expect(read("refused").match(/@ts-expect-error/g)).toHaveLength(38);
});

test.each(WRONG_LINES)("detects one wrong line: %s in %s", (title, name, right, _, code) => {
  expect(read(name)).toContain(right);
  const found = problemsIn(fileOf(title));
  expect(found).not.toEqual([]);
  expect(
    found.every((line) => line.includes(code)),
    found.join("\n"),
  ).toBe(true);
});
