// @module-tag L-03
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stateStoreConformance } from "@runledger/store-conformance";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { idsOf, verdict, type Promised, type TestRecord } from "../../scripts/lib/acceptance.mjs";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";

const promisedHere = readJson(inRepository("tests/acceptance.json")) as Promised[];
const promise = (id: string, state: Promised["state"]): Promised => ({ id, text: `what ${id} says`, state });
const record = (id: string, state: TestRecord["state"]): TestRecord => ({
  file: "tests/a.test.ts",
  title: "a title",
  tags: [id],
  state,
  durationMs: 1,
});

describe("the verdict", () => {
  test("a test shows the IDs among its tags", () => {
    expect(idsOf({ title: "Z-99 is only mentioned", tags: ["Z-22", "slow", "Z-23"] }, [])).toEqual(["Z-22", "Z-23"]);
  });

  test("a test of the conformance suite shows the IDs of its clause", () => {
    const promised = [{ ...promise("Z-01", "open"), clauses: ["leases"] }, promise("Z-02", "open")];
    const title = "AnyStore keeps the state store contract > leases > O1: a lease has one owner";
    expect(idsOf({ title, tags: ["Z-02"] }, promised)).toEqual(["Z-02", "Z-01"]);
  });

  test("an ID without a passing test is missing in any state", () => {
    const { missing, problems } = verdict(
      [promise("Z-01", "open"), promise("Z-02", "open")],
      [record("Z-01", "passed"), record("Z-02", "skipped")],
    );
    expect(missing.map(({ id }) => id)).toEqual(["Z-02"]);
    expect(problems).toEqual([]);
  });

  test("an ID marked shown without a passing test is a problem", () => {
    const { problems } = verdict([promise("Z-01", "shown")], [record("Z-01", "skipped")]);
    expect(problems).toEqual(["Z-01 is marked shown and has no passing test"]);
  });

  test("one failing test spoils an ID marked shown", () => {
    const { problems, ready } = verdict(
      [promise("Z-01", "shown")],
      [record("Z-01", "passed"), record("Z-01", "failed")],
    );
    expect(problems).toEqual(["Z-01 is marked shown and has a failing test"]);
    expect(ready).toEqual([]);
  });

  test("an ID that is not in the list is a problem: it is most likely mistyped", () => {
    const { problems } = verdict([promise("Z-01", "open")], [record("Z-10", "passed")]);
    expect(problems).toEqual(["Z-10 is a tag of a test and not in tests/acceptance.json"]);
  });
});

describe("the command", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "runledger-acceptance-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

  const acceptance = (promised: readonly Promised[], tests: readonly TestRecord[]) => {
    writeFileSync(join(folder, "acceptance.json"), JSON.stringify(promised));
    writeFileSync(join(folder, "test.json"), JSON.stringify({ suite: "test", tests }));
    return capture(process.execPath, [inRepository("scripts/acceptance.mjs"), join(folder, "acceptance.json"), folder]);
  };

  test("prints what has no passing test and succeeds while that is open", async () => {
    const { code, stdout } = await acceptance(
      [promise("Z-01", "open"), promise("Z-02", "shown")],
      [record("Z-02", "passed")],
    );
    expect(code).toBe(0);
    expect(stdout).toContain("no passing test: Z-01 what Z-01 says");
    expect(stdout).not.toContain("no passing test: Z-02");
  });

  test("fails when one marked shown has no passing test", async () => {
    const { code, stderr } = await acceptance([promise("Z-01", "shown")], []);
    expect(code).toBe(1);
    expect(stderr).toContain("Z-01 is marked shown and has no passing test");
  });
});

test("tests/acceptance.json holds every ID once, with its text and state", () => {
  expect(new Set(promisedHere.map(({ id }) => id)).size).toBe(promisedHere.length);
  for (const { id, text, state } of promisedHere) {
    expect(id).toMatch(/^[A-Z]-\d{2}$/);
    expect(text.length).toBeGreaterThan(10);
    expect(["open", "shown"]).toContain(state);
  }
});

test("every clause in tests/acceptance.json is one of the conformance suite", { tags: ["N-13"] }, () => {
  const names = new Set<string>();
  const runner = {
    test: () => undefined,
    describe: (name: string, body: () => void) => {
      names.add(name);
      body();
    },
  };
  stateStoreConformance("any store", { runner, open: () => Promise.reject(new Error("no test runs")) });
  const named = promisedHere.flatMap(({ clauses = [] }) => clauses);
  expect(named.filter((clause) => !names.has(clause))).toEqual([]);
});

test("no source file has an acceptance ID outside of tags", { tags: ["N-13"] }, async () => {
  const { stdout } = await capture("git", ["ls-files", "packages", "examples", "tests", "scripts", "bench"]);
  const sources = stdout.split("\n").filter((file) => /\.(ts|tsx|mjs|sql)$/.test(file));
  const ids = new RegExp(`\\b(${promisedHere.map(({ id }) => id).join("|")})\\b`);
  const tags = /tags: \[[^\]]*\]|\/\/ @module-tag [A-Z]-\d{2}\n/g;
  const citing = sources.filter((file) => ids.test(readFileSync(inRepository(file), "utf8").replaceAll(tags, "")));
  expect(citing).toEqual([]);
});
