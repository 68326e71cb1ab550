import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tsBlocks, type CodeBlock } from "../../../scripts/lib/markdown.mjs";
import { filesBelow, inRepository } from "../../../scripts/lib/repository.mjs";

export interface Document {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

/** Everything written for people: at the top, in docs/, and the README of each package and example. */
export function documents(): Document[] {
  const top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/RESULTS.md"];
  const guides = filesBelow("docs").filter((path) => path.endsWith(".md"));
  const readmes = ["packages", "examples"].flatMap((folder) =>
    readdirSync(inRepository(folder)).map((name) => `${folder}/${name}/README.md`),
  );
  return [...top, ...readmes, ...guides]
    .filter((path) => existsSync(inRepository(path)))
    .map((path) => ({ path, text: readFileSync(inRepository(path), "utf8") }));
}

export const codeBlocks = (): CodeBlock[] => documents().flatMap(({ path, text }) => tsBlocks(path, text));
