/**
 * The code blocks and links of our documents, read the way a person reads them: by line.
 * @typedef {{ file: string, line: number, code: string, run: boolean }} CodeBlock `line` is that of its first line of code
 */

/**
 * Every block that is fenced as ts. The word no-run after it says that the block is checked and not run.
 * @param {string} file
 * @param {string} text
 * @returns {CodeBlock[]}
 */
export function tsBlocks(file, text) {
  const fence = /^```ts([^\n]*)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fence)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length + 1,
    code: match[2] ?? "",
    run: !/\bno-run\b/.test(match[1] ?? ""),
  }));
}

/**
 * Targets of links and images that lead to a file: not to the web, not within the page.
 * @param {string} text
 * @returns {string[]}
 */
export function fileLinks(text) {
  const withoutCode = text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const targets = [...withoutCode.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map((match) => match[1] ?? "");
  return targets.filter((target) => !/^([a-z][a-z+.-]*:|#)/i.test(target)).map((target) => target.split("#")[0] ?? "");
}
