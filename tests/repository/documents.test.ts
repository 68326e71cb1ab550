// @module-tag L-04
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fileLinks, tsBlocks } from "../../scripts/lib/markdown.mjs";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";

const read = (path: string) => readFileSync(inRepository(path), "utf8");

test("the README has one block of at most 25 lines on its first screen, and the two commands", () => {
  const readme = read("README.md");
  const code = tsBlocks("README.md", readme)[0]?.code ?? "";
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
  expect(readme).toContain("npm ci && npm start");
  expect(readme).toContain("npm ci && npm test");
});

test("ARCHITECTURE.md opens with the glossary, and every step of the two ways leads to a file", () => {
  const [opening = "", ...sections] = read("ARCHITECTURE.md").split(/^## /m).slice(1);
  expect(opening).toMatch(/^Words\n/);
  const ways = sections.find((section) => section.startsWith("The two ways")) ?? "";
  const steps = ways.split(/^\d+\. /m).slice(1);
  expect(steps.length).toBeGreaterThanOrEqual(6);
  expect(steps.filter((step) => fileLinks(step).length === 0)).toEqual([]);
});

test("there are a guide for contributors and the license", () => {
  expect(read("CONTRIBUTING.md")).toContain("npm run check");
  expect(read("LICENSE")).toContain("Apache License");
});

test("SECURITY.md has sections on reports, versions and protection", { tags: ["R-26"] }, () => {
  const headings = [...read("SECURITY.md").matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  for (const word of ["Report", "versions", "protects", "does not protect"])
    expect(headings.filter((heading) => heading.includes(word))).toHaveLength(1);
  expect(read("README.md")).toContain("(SECURITY.md)");
});

test("the README of a new project has a title with the placeholder that init fills in", () => {
  expect(read("packages/runledger/templates/project/README.md")).toMatch(/^# __NAME__\n/);
});

test("the changelog follows Keep a Changelog, with one line per change", { tags: ["N-12"] }, () => {
  const [, ...versions] = read("CHANGELOG.md").split(/^## /m);
  expect(versions[0]).toMatch(/^\[Unreleased\]\n/);
  const sections = versions.flatMap((version) => version.split(/^### /m).slice(1));
  const kinds = /^(?:Added|Changed|Deprecated|Removed|Fixed|Security)\n/;
  expect(sections.filter((section) => !kinds.test(section))).toEqual([]);
  const lines = sections.flatMap((section) => section.split("\n").slice(1)).filter((line) => line !== "");
  const entry = /^- [A-Z`@/[].{10,180}\.$/;
  const area = /^[A-Z][A-Za-z, ]+$/;
  expect(lines.filter((line) => !entry.test(line) && !area.test(line))).toEqual([]);
});

test(
  "CONTRIBUTING.md has the language rules and the commit format, and fits on a few screens",
  { tags: ["N-12"] },
  () => {
    const sections = new Map(
      read("CONTRIBUTING.md")
        .split(/^## /m)
        .map((section) => [section.split("\n")[0]!, section]),
    );
    const rules = sections
      .get("Language")!
      .split("\n")
      .filter((line) => /^\d+\. /.test(line));
    expect(rules.length).toBeGreaterThanOrEqual(7);
    expect(sections.get("Language")!.split("\n").length).toBeLessThanOrEqual(60);
    expect(sections.get("Commits")).toMatch(/imperative and has at most 72 characters: `\w+: /);
  },
);

test(
  "the README describes Runledger, shows it, then has the two commands and the comparison",
  { tags: ["N-40"] },
  () => {
    const readme = read("README.md");
    const order = [
      "# Runledger",
      "Durable workflows",
      "Use it for",
      "<picture>",
      "npm ci && npm start",
      "How it differs",
    ];
    const places = order.map((part) => readme.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const table = readme
      .split("## How it differs")[1]!
      .split("\n")
      .filter((line) => line.startsWith("|"));
    for (const name of ["Runledger", "Temporal", "DBOS", "Inngest", "Airflow"]) expect(table[0]).toContain(name);
    expect(table.some((row) => row.startsWith("| **It is better at**"))).toBe(true);
  },
);

test(
  "the page of concepts has a section for each of the six words, and a picture that names them",
  { tags: ["N-40"] },
  () => {
    const words = ["Run", "Event", "Fold", "Snapshot", "Worker", "Lease"];
    const page = read("docs/concepts.md");
    expect(words.filter((word) => !page.includes(`\n## ${word}\n`))).toEqual([]);
    const picture = read(`docs/${/<img src="([^"]+\.svg)"/.exec(page)![1]}`);
    expect(words.filter((word) => !new RegExp(word, "i").test(picture))).toEqual([]);
  },
);

test("documents, examples and templates start runs with one object", { tags: ["N-31"] }, () => {
  const folders = ["docs", "examples", "packages/runledger/templates"];
  const texts = ["README.md", ...folders.flatMap((folder) => filesBelow(folder))]
    .filter((file) => /\.(md|ts|mjs)$/.test(file) && !/node_modules|\/dist\//.test(file))
    .map((file) => [file, read(file)] as const);
  const calls = texts.flatMap(([file, text]) =>
    [...text.matchAll(/\b(?:ledger|t)\.start\(\s*[\w.]+(?:\([^)]*\))?,\s*(\S)/g)].map(([call, next]) => ({
      file,
      call,
      next,
    })),
  );
  expect(calls.length).toBeGreaterThan(3);
  expect(calls.filter(({ next }) => next !== "{")).toEqual([]);
});
