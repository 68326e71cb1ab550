// @module-tag L-01
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { expect, test, type TestContext } from "vitest";
import { completed, missingOptional, type Lockfile } from "../../scripts/lib/lockfile.mjs";
import { inRepository, readJson, root } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";

const lockfile = readJson(inRepository("package-lock.json")) as Lockfile;

/** The user who installs chooses the registry. */
const REGISTRY = /\bregistry\.[a-z0-9-]+\.[a-z]{2,}/i;
const HOME_FOLDER = /(?:^|[\s"'`(=:])(?:\/home\/|\/Users\/|\/root\/|[A-Z]:\\Users\\)[\w.-]+/;

test("the lockfile holds no addresses, so that it installs from any registry", () => {
  const addressed = Object.entries(lockfile.packages).filter(
    ([, { resolved, link }]) => resolved !== undefined && !link,
  );
  expect(addressed.map(([name]) => name)).toEqual([]);
});

test("the lockfile names the binaries of every platform (else: npm run lockfile)", () => {
  expect(missingOptional(lockfile).map(([path]) => path)).toEqual([]);
});

test("a platform's binary that is missing from a lockfile is found", () => {
  const parent = { version: "1.0.0", dev: true, optionalDependencies: { "@a/linux-x64-musl": "1.0.0" } };
  const expected = { version: "1.0.0", dev: true, optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] };
  const planted = { packages: { "node_modules/a": parent } };
  expect(missingOptional(planted)).toEqual([["node_modules/@a/linux-x64-musl", expected]]);
  expect(missingOptional(completed(planted))).toEqual([]);
});

test("no file names the host of a registry", async (context) => {
  expect(await filesWith(context, (text) => REGISTRY.test(text))).toEqual([]);
});

test("no file contains an absolute path of a developer's machine", async (context) => {
  const here = [root, homedir()].filter((path) => path.split("/").length > 2).map((path) => `${path}/`);
  const isPersonal = (text: string) => HOME_FOLDER.test(text) || here.some((path) => text.includes(path));
  expect(await filesWith(context, isPersonal)).toEqual([]);
});

/** Files that are in git or would be added to it. */
async function filesWith(context: TestContext, matches: (text: string) => boolean): Promise<string[]> {
  const { code, stdout } = await capture("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  context.skip(code !== 0, "this is not a git checkout");
  return stdout.split("\0").filter((path) => path !== "" && matches(read(path)));
}

function read(path: string): string {
  try {
    return readFileSync(inRepository(path), "utf8");
  } catch {
    return ""; // deleted, but still in the index
  }
}
