// @module-tag U-36
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";

const MOST_BYTES = 60_000;
const PICTURE = /(?:src|srcset)="([^"]+\.(?:png|svg))"|!\[[^\]]*\]\(([^)]+\.(?:png|svg))\)/g;

const shown = ["README.md", ...filesBelow("docs").filter((path) => path.endsWith(".md"))].flatMap((page) =>
  [...readFileSync(inRepository(page), "utf8").matchAll(PICTURE)].map(([, inTag, inText]) =>
    join(dirname(page), (inTag ?? inText)!),
  ),
);

test("the README and the guides show pictures that the browser tests make, in both themes, and small", () => {
  const made = filesBelow("tests/console")
    .map((path) => readFileSync(inRepository(path), "utf8"))
    .flatMap((text) => [...text.matchAll(/pictureForReaders\("([\w-]+)"\)/g)].map(([, name]) => name!))
    .flatMap((name) => [`${name}-dark.png`, `${name}-light.png`]);
  expect(shown.filter((path) => path.startsWith("docs/images/")).length).toBeGreaterThan(3);
  const screenshots = shown.filter((path) => path.endsWith(".png"));
  expect([...new Set(screenshots.map((path) => basename(path)))].toSorted()).toEqual(made.toSorted());
  expect(filesBelow("docs/images").toSorted()).toEqual([...new Set(shown)].toSorted());
  for (const path of shown) expect(statSync(inRepository(path)).size, path).toBeLessThan(MOST_BYTES);
});

test("drawings are readable in both themes", () => {
  const drawings = filesBelow("docs/images").filter((path) => path.endsWith(".svg"));
  expect(drawings).not.toEqual([]);
  for (const path of drawings) expect(readFileSync(inRepository(path), "utf8")).toContain("prefers-color-scheme: dark");
});
