// @module-tag R-26
/** Loading a configuration runs its code, so it must not come from outside of the project. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findConfig } from "./find-config.js";

/** Creates `outer/project/src` with a configuration in `outer`. */
function folders(): { readonly outer: string; readonly project: string; readonly cwd: string } {
  const outer = mkdtempSync(join(tmpdir(), "find-config-"));
  onTestFinished(() => rmSync(outer, { recursive: true }));
  const project = join(outer, "project");
  const cwd = join(project, "src");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(outer, "runledger.config.js"), "");
  return { outer, project, cwd };
}

const find = (cwd: string) => findConfig({ cwd, production: false });

test("a configuration above the package, the repository, or a folder without either is not found", () => {
  const { project, cwd } = folders();
  expect(() => find(cwd)).toThrow(/no runledger.config.ts found in .*src/);
  writeFileSync(join(project, "package.json"), "{}");
  expect(() => find(cwd)).toThrow(/found from .*src up to .*project/);
  mkdirSync(join(project, ".git"));
  expect(() => find(cwd)).toThrow(/found from .*src up to .*project/);
});

test("a configuration at the root of the repository is found from a package below", () => {
  const { outer, project, cwd } = folders();
  mkdirSync(join(outer, ".git"));
  writeFileSync(join(project, "package.json"), "{}");
  expect(find(cwd)).toBe(join(outer, "runledger.config.js"));
});

test("a configuration of another user above the working directory is refused", (context) => {
  if (process.getuid?.() !== 0) context.skip("needs root to give a file to another user");
  const { outer, cwd } = folders();
  mkdirSync(join(outer, ".git"));
  const file = join(outer, "runledger.config.js");
  chownSync(file, 12_345, 12_345);
  expect(() => find(cwd)).toThrow(/belongs to another user \(uid 12345\)/);
  expect(find(outer)).toBe(file);
  expect(findConfig({ cwd, file, production: false })).toBe(file);
});
