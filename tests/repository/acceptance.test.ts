import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { idsIn, verdict, type Promised, type TestRecord } from "../../scripts/lib/acceptance.mjs";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";

const promise = (id: string, state: Promised["state"]): Promised => ({ id, text: `what ${id} says`, state });
const record = (title: string, state: TestRecord["state"]): TestRecord => ({
  file: "tests/a.test.ts",
  title,
  state,
  durationMs: 1,
});

describe("[L-03] the verdict", () => {
  test("a title may carry several IDs, in one bracket or in many", () => {
    expect(idsIn("[Z-24] one")).toEqual(["Z-24"]);
    expect(idsIn("[Z-22, Z-23] [Z-24] > P3: Z-99 is only mentioned")).toEqual(["Z-22", "Z-23", "Z-24"]);
  });

  test("an ID without a passing test is missing, whatever its state", () => {
    const { missing, problems } = verdict(
      [promise("Z-01", "open"), promise("Z-02", "open")],
      [record("[Z-01] a", "passed"), record("[Z-02] b", "skipped")],
    );
    expect(missing.map(({ id }) => id)).toEqual(["Z-02"]);
    expect(problems).toEqual([]);
  });

  test("an ID marked shown without a passing test is a problem", () => {
    const { problems } = verdict([promise("Z-01", "shown")], [record("[Z-01] a", "skipped")]);
    expect(problems).toEqual(["Z-01 is marked shown and has no passing test"]);
  });

  test("one failing test spoils an ID marked shown", () => {
    const { problems, ready } = verdict(
      [promise("Z-01", "shown")],
      [record("[Z-01] a", "passed"), record("[Z-01] b", "failed")],
    );
    expect(problems).toEqual(["Z-01 is marked shown and has a failing test"]);
    expect(ready).toEqual([]);
  });

  test("an ID that nobody promised is a problem: it is most likely mistyped", () => {
    const { problems } = verdict([promise("Z-01", "open")], [record("[Z-10] a", "passed")]);
    expect(problems).toEqual(["Z-10 is in the title of a test and not in tests/acceptance.json"]);
  });
});

describe("[L-03] the command", () => {
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
      [record("[Z-02] a", "passed")],
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

test("[L-03] tests/acceptance.json holds every ID once, with its text and state", () => {
  const promised = readJson(inRepository("tests/acceptance.json")) as Promised[];
  expect(new Set(promised.map(({ id }) => id)).size).toBe(promised.length);
  for (const { id, text, state } of promised) {
    expect(id).toMatch(/^[A-Z]-\d{2}$/);
    expect(text.length).toBeGreaterThan(10);
    expect(["open", "shown"]).toContain(state);
  }
});
