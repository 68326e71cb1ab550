import { existsSync, readFileSync } from "node:fs";
import { tsBlocks, type CodeBlock } from "../../scripts/lib/markdown.mjs";
import { filesBelow, inRepository } from "../../scripts/lib/repository.mjs";

export interface Document {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

/** Everything written for people, but for licences. */
export function documents(): Document[] {
  const top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
  const below = filesBelow("docs").filter((path) => path.endsWith(".md"));
  const paths = [...top.filter((path) => existsSync(inRepository(path))), ...below];
  return paths.map((path) => ({ path, text: readFileSync(inRepository(path), "utf8") }));
}

export const codeBlocks = (): CodeBlock[] => documents().flatMap(({ path, text }) => tsBlocks(path, text));
