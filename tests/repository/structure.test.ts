/** Checks that the tree keeps its structure: one definition of each helper, one name for each thing, folders by feature. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { FOLDERS } from "../../scripts/lib/import-graph.mjs";
import { filesBelow, inRepository, packages } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";

const NOT_PRODUCT = /\.test(-d)?\.|^packages\/(test-support|store-conformance)\//;
const files = packages().flatMap(({ folder }) => filesBelow(`packages/${folder}/src`));
const product = files.filter((file) => /\.tsx?$/.test(file) && !NOT_PRODUCT.test(file));
const text = new Map(product.map((file) => [file, readFileSync(inRepository(file), "utf8")]));
const filesWith = (pattern: RegExp) => product.filter((file) => pattern.test(text.get(file)!));
const foldersOf = (path: string) =>
  readdirSync(inRepository(path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

test("no file breaks the import rule", { tags: ["N-20", "N-21"] }, async () => {
  const { code, stderr } = await capture(process.execPath, [inRepository("scripts/check-imports.mjs")]);
  expect(code, stderr).toBe(0);
});

test.each([
  ["function retry", "packages/runtime/src/time/retry.ts"],
  ["class PollLoop", "packages/runtime/src/time/poll-loop.ts"],
  ["function newId", "packages/contracts/src/new-id.ts"],
  ["function omitUndefined", "packages/contracts/src/omit-undefined.ts"],
])("only one file has a %s", { tags: ["N-20"] }, (definition, file) => {
  expect(filesWith(new RegExp(String.raw`\b${definition}\b`))).toEqual([file]);
});

test("ledger/ is a facade: only the test ledger imports it", { tags: ["N-20"] }, () => {
  const importing = Object.entries(FOLDERS["runtime"]!).filter(([, imports]) => imports.includes("ledger"));
  expect(importing.map(([folder]) => folder)).toEqual(["testing"]);
});

test("the server is a package with a folder per feature, and cli/ is grouped", { tags: ["N-21"] }, () => {
  const features = ["artifacts", "health", "limits", "logs", "queue", "runs", "schedules", "workers", "workflows"];
  expect(foldersOf("packages/server/src")).toEqual(expect.arrayContaining(features));
  expect(existsSync(inRepository("packages/server/src/runs/start-run.ts"))).toBe(true);
  expect(foldersOf("packages/runledger/src/cli").toSorted()).toEqual(["backend", "commands", "dev", "render"]);
  const support = packages().find(({ folder }) => folder === "test-support");
  expect(support?.manifest.private).toBe(true);
});

test("no file has one of the names that were replaced", { tags: ["N-22"] }, () => {
  const replaced =
    /^(foresight|plan-turn|recall|run-facts|engine-parts|give-back|open-step|bell|worker-voice|rooms|turns|meter|times|bounded|place|patience)$/;
  const inFolders = product.filter((file) => /^packages\/(core|runtime|server)\//.test(file));
  expect(inFolders.filter((file) => replaced.test(basename(file, ".ts")))).toEqual([]);
  expect(filesWith(/\b(Foresight|Bell|StartOrder|tellStrangers|complain)\b/)).toEqual([]);
});

test("only the reader of events casts eventData to the type of a payload", { tags: ["N-32"] }, () => {
  expect(filesWith(/\beventData!? as (?!unknown\b|JsonObject\b)/)).toEqual([]);
});
