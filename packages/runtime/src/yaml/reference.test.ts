// @module-tag E-02
import { readFileSync } from "node:fs";
import { loadWorkflow } from "../index.js";
import { expect, test } from "vitest";
import { inRepository } from "../../../../scripts/lib/repository.mjs";
import { kinds } from "./format.js";

const page = readFileSync(inRepository("docs/reference/workflow-files.md"), "utf8");

test("the sample of the reference is a valid workflow, and its table lists every kind of step", async () => {
  const sample = /```yaml\n([\s\S]*?)```/.exec(page)![1]!;
  expect(await loadWorkflow(sample)).toEqual({ id: "daily-report", version: "1.0.0" });
  const listed = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, kind]) => kind);
  expect(listed).toEqual(kinds);
});
