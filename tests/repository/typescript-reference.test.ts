// @module-tag R-42
/** Every construct and option has a comment and an example, and the examples run. reference.test.ts compares the document. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import {
  exampleNames,
  exampleText,
  sections,
  type Section,
} from "@runledger/test-support/reference/typescript-reference";

const { constructs, types, classes } = sections();
const all: readonly Section[] = [...constructs, ...types, ...classes];

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  process.env["WAREHOUSE_URL"] = database.url;
});
afterAll(async () => {
  delete process.env["WAREHOUSE_URL"];
  await database.drop();
});

test("the reference has every construct of the builder", () => {
  const titles = constructs.map(({ title }) => title.slice(3, -1));
  expect(titles).toEqual("step command sql http task when forEach repeat waitForSignal sleep child".split(" "));
  expect(all.map(({ entries }) => entries.length).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(150);
});

test.each(all.map((section) => [section.title, section] as const))(
  "%s: each entry has a comment and an example",
  (title, { says, examples, entries }) => {
    if (title.startsWith("`w.")) expect(says).not.toBe("");
    const code = examples.map(exampleText).join("\n");
    if (constructs.some((each) => each.title === title)) expect(code).toContain(`.${title.slice(3, -1)}(`);
    expect(entries.filter((entry) => entry.says === "").map(({ name }) => name)).toEqual([]);
    expect(entries.filter(({ name }) => !isUsed(name, code)).map(({ name }) => name)).toEqual([]);
  },
);

/** `run.pause` is used by a call on a run, `timeout` as an option or a name that is read. */
function isUsed(name: string, code: string): boolean {
  const [on, method] = name.split(".");
  if (method === undefined) return new RegExp(String.raw`\b${name}\b`).test(code);
  return new RegExp(String.raw`\.${method}\(|\b${method}\b.*= ${on}\b`).test(code);
}

test("every example belongs to a section", () => {
  expect(exampleNames().toSorted()).toEqual([...new Set(all.flatMap(({ examples }) => examples))].toSorted());
});

test.each(exampleNames())("the example %s runs", { timeout: 60_000 }, async (name) => {
  await import(`../reference/examples/${name}.ts`);
});
