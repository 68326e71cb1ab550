// @module-tag N-13
/** Rules and their citations: docs/reference/rules.md defines the codes that comments and test titles cite. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileLinks } from "../../scripts/lib/markdown.mjs";
import { passages } from "../../scripts/lib/prose-text.mjs";
import { inRepository, root } from "../../scripts/lib/repository.mjs";

const PAGE = "docs/reference/rules.md";
const read = (path: string) => readFileSync(inRepository(path), "utf8");

/** A capital letter of a family and a number, in a comment or in a string of several words: (K3), "P1: …". */
const CITATION = /(?<![\w.%#/-])[A-Z][1-9]\d?(?![\w%/-]|\.\d)/g;
/** Other words of that shape: a class of control characters, Amazon's store, headings. */
const NOT_CITED = /\bC1 control|\bS3\b|\bH[1-6]\b/g;

function citations(path: string, text: string): string[] {
  const prose = passages(path, text).map((passage) => passage.text.replaceAll(NOT_CITED, ""));
  return prose.filter((words) => /[a-z]{2,}/.test(words)).flatMap((words) => words.match(CITATION) ?? []);
}

const sections = read(PAGE).split(/^### /m).slice(1);
const rules = new Map(sections.map((section) => [section.split("\n")[0]!, section]));
const sources = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => /\.(?:ts|tsx|mjs|sql|md)$/.test(path) && !/\/rules\.(?:md|test\.ts)$|\/golden\//.test(path))
  .filter((path) => existsSync(inRepository(path)));
const cited = new Map(sources.map((path) => [path, citations(path, read(path))]));

test("a citation is recognized in a comment and in a title, and not in other text", () => {
  const text = `/** Locks heads first (P8, K99). */ test("K5: a repeated key", f); const path = "M8 2a6", id = "P1";`;
  expect(citations("a.ts", text)).toEqual(["P8", "K99", "K5"]);
  expect(citations("a.ts", `// a C1 control character in S3, "#K1", ES2022`)).toEqual([]);
});

test("every cited rule exists", () => {
  const unknown = [...cited].flatMap(([path, codes]) =>
    codes.filter((code) => !rules.has(code)).map((code) => `${path}: ${code}`),
  );
  expect(unknown).toEqual([]);
});

test("every rule is cited by code", () => {
  const inCode = new Set([...cited].filter(([path]) => !path.endsWith(".md")).flatMap(([, codes]) => codes));
  expect([...rules.keys()].filter((code) => !inCode.has(code))).toEqual([]);
});

test("every rule has a reason, and a test that cites it", () => {
  expect([...rules].filter(([, section]) => !section.includes("\nReason: ")).map(([code]) => code)).toEqual([]);
  const shows = (code: string, link: string) => {
    const path = join("docs/reference", link);
    return existsSync(inRepository(path)) && new RegExp(String.raw`\b${code}\b`).test(read(path));
  };
  const tests = (section: string) => fileLinks(section.split("\nTest: ")[1] ?? "");
  const without = [...rules].filter(
    ([code, section]) => tests(section).length === 0 || !tests(section).every((link) => shows(code, link)),
  );
  expect(without.map(([code]) => code)).toEqual([]);
});

test("an alert is critical or a warning", () => {
  const { components } = JSON.parse(read("docs/reference/openapi.json")) as {
    readonly components: {
      readonly schemas: { readonly Alert: { readonly properties: { readonly severity: object } } };
    };
  };
  expect(components.schemas.Alert.properties.severity).toMatchObject({ enum: ["critical", "warning"] });
});
