import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fileLinks, tsBlocks } from "../../scripts/lib/markdown.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";

const read = (path: string) => readFileSync(inRepository(path), "utf8");

test("[L-04] the README has one block of at most 25 lines on its first screen, and the two commands", () => {
  const readme = read("README.md");
  const code = tsBlocks("README.md", readme)[0]?.code ?? "";
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
  expect(readme).toContain("npm ci && npm start");
  expect(readme).toContain("npm ci && npm test");
});

test("[L-04] ARCHITECTURE.md opens with the glossary, and every step of the two ways leads to a file", () => {
  const [opening = "", ...sections] = read("ARCHITECTURE.md").split(/^## /m).slice(1);
  expect(opening).toMatch(/^Words\n/);
  const ways = sections.find((section) => section.startsWith("The two ways")) ?? "";
  const steps = ways.split(/^\d+\. /m).slice(1);
  expect(steps.length).toBeGreaterThanOrEqual(6);
  expect(steps.filter((step) => fileLinks(step).length === 0)).toEqual([]);
});

test("[L-04] there are a guide for contributors, a changelog in prose and the licence", () => {
  expect(read("CONTRIBUTING.md")).toContain("npm run check");
  expect(read("CHANGELOG.md")).toMatch(/^## \[Unreleased\]\n\n\w/m);
  expect(read("LICENSE")).toContain("Apache License");
});
