// @module-tag L-13
import { errorCodes, type ErrorCode } from "@runledger/contracts";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";

const codes = Object.keys(errorCodes) as ErrorCode[];
const page = (name: string) => readFileSync(inRepository(`docs/errors/${name}.md`), "utf8");

test("every error code has its page, and every page its code", () => {
  const pages = filesBelow("docs/errors").map((path) => path.replace(/^docs\/errors\/(.*)\.md$/, "$1"));
  expect(pages.filter((name) => name !== "README").toSorted()).toEqual(codes.toSorted());
});

test.each(codes)("the page of %s has its family, what happened and what to do", (code) => {
  const text = page(code);
  expect(text).toMatch(new RegExp(`^# ${code}\\n`));
  expect(text).toContain(`Family: [${errorCodes[code]}](README.md#${errorCodes[code]}).`);
  for (const heading of ["What happened", "What to do"]) expect(section(text, heading).length).toBeGreaterThan(80);
});

test.each(["retry", "fix-input", "stop"] as const)("the index lists the codes of the family %s", (family) => {
  const listed = [...section(page("README"), family).matchAll(/^- \[([A-Z_]+)\]\(\1\.md\): /gm)].map(
    ([, code]) => code,
  );
  expect(new Set(listed)).toEqual(new Set(codes.filter((code) => errorCodes[code] === family)));
});

function section(text: string, heading: string): string {
  const [, after = ""] = text.split(`\n## ${heading}\n`);
  return after.split("\n## ")[0] ?? "";
}
