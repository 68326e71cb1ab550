/** Checks that ARCHITECTURE.md draws the import graphs as the import rule has them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FOLDERS, PACKAGES, type Graph } from "../../scripts/lib/import-graph.mjs";
import { fileLinks } from "../../scripts/lib/markdown.mjs";
import { inRepository } from "../../scripts/lib/repository.mjs";

const text = readFileSync(inRepository("ARCHITECTURE.md"), "utf8");

/** A Mermaid flowchart in which an arrow points from a folder to the folders that import it. */
function drawn(graph: Graph): string {
  const arrows = Object.entries(graph).flatMap(([name, imports]) => imports.map((each) => `  ${each} --> ${name}`));
  return ["```mermaid", "flowchart LR", ...arrows.toSorted(), "```"].join("\n");
}

test("ARCHITECTURE.md draws the graphs of packages and of the folders of runtime", { tags: ["N-20"] }, () => {
  const drawings = [...text.matchAll(/^```mermaid\n[^]*?^```$/gm)].map(([drawing]) => drawing);
  expect(drawings).toEqual([drawn(PACKAGES), drawn(FOLDERS["runtime"]!)]);
});

test("ARCHITECTURE.md answers ten questions with a file each", { tags: ["N-22"] }, () => {
  const section = /^## Where is …\?\n([^]*?)^## /m.exec(text)?.[1] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| ") && line.includes("?"));
  expect(rows.length).toBeGreaterThanOrEqual(10);
  expect(rows.filter((row) => fileLinks(row).length === 0)).toEqual([]);
});
