// @module-tag U-40
import { expect, test } from "vitest";
import { documents } from "@runledger/test-support/documents";
import { words } from "@runledger/test-support/shell-words";
import { refusedBy } from "./support/command-line.js";

/** Commands that a reader would type: lines of blocks, and inline code. */
function typed(text: string): string[] {
  const lines = text.matchAll(/^(?:\$ |[A-Z_]+=\S+ )*(?:npx )?runledger ([a-z].*)$/gm);
  const inline = text.matchAll(/`(?:npx )?runledger ([a-z][^`\n]*)`/g);
  return [...lines, ...inline].map(([, line]) => line!.split(/ {2,}| [|&#]/)[0]!);
}

test("commands in documents exist, with their options", () => {
  const wrong = documents()
    .filter(({ path }) => path !== "docs/reference/cli.md") // made from the program
    .flatMap(({ path, text }) => typed(text).map((line) => ({ path, line, why: refusedBy(words(line)) })))
    .filter(({ why }) => why !== null);
  expect(wrong).toEqual([]);
});
