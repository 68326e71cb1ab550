/**
 * Extracts the text that people read from a file: comments, string literals with a space, JSX text, Markdown outside of
 * code. Code becomes spaces and line breaks stay, so that an offset in the result has the same line as in the file.
 * @typedef {{ kind: "comment" | "string" | "markdown", line: number, text: string, continued?: boolean }} Passage
 *   `line` is that of its first character; `continued`: it follows an expression, so that it starts no sentence
 */

/** @type {Record<string, (text: string) => Passage[]>} */
const READERS = {
  ts: script,
  typescript: script,
  tsx: (text) => script(text, { jsx: true }),
  mts: script,
  mjs: script,
  js: script,
  md: markdown,
  sql: (text) => commentLines(text, "--"),
  css: (text) => blockComments(text, /\/\*[\s\S]*?\*\//g),
  html: (text) => blockComments(text, /<!--[\s\S]*?-->/g),
  py: (text) => commentLines(text, "#"),
  yaml: (text) => commentLines(text, "#"),
  yml: (text) => commentLines(text, "#"),
  sh: (text) => commentLines(text, "#"),
  service: (text) => commentLines(text, "#"),
  Dockerfile: (text) => commentLines(text, "#"),
  json: jsonTexts,
};

/** @param {string} path @param {string} text @returns {Passage[]} */
export function passages(path, text) {
  const name = path.split("/").at(-1) ?? "";
  return READERS[name.split(".").at(-1) ?? ""]?.(text) ?? [];
}

/** @param {string} path */
export const isRead = (path) => (path.split("/").at(-1)?.split(".").at(-1) ?? "") in READERS;

/** A slash after one of these starts a regular expression; after anything else it divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|await|yield|void|delete))$/;

/**
 * A small tokenizer for TypeScript and JavaScript. It knows comments, strings, templates, regular expressions and, by
 * their surroundings, the texts between JSX tags.
 * @param {string} text
 * @param {{ jsx?: boolean }} [options]
 * @returns {Passage[]}
 */
function script(text, { jsx = false } = {}) {
  /** @type {{ kind: Passage["kind"], start: number, text: string, continued?: boolean }[]} */
  const found = [];
  /** Braces that are open in each template that is open. @type {number[]} */
  const templates = [];
  let code = "";
  let at = text.startsWith("#!") ? text.indexOf("\n") : 0;

  /** @param {number} start @param {string} body */
  const addString = (start, body) => {
    const continued = text[start - 1] === "}";
    if (/[a-z]\S* \S/i.test(body) || (continued && / [a-z]{2}/i.test(body)))
      found.push({ kind: "string", start, text: body, continued });
  };
  /** Reads a template from behind its backtick or behind the brace that closes an expression. */
  const template = () => {
    const start = at;
    while (at < text.length && text[at] !== "`" && !text.startsWith("${", at)) at += text[at] === "\\" ? 2 : 1;
    addString(start, text.slice(start, at));
    if (text[at] === "`") at += 1;
    else {
      at += 2;
      templates.push(0);
    }
    code = "x";
  };

  while (at < text.length) {
    const char = text[at] ?? "";
    const two = text.slice(at, at + 2);
    if (two === "//" && text[at - 1] !== ":") {
      const end = lineEnd(text, at);
      const last = found.at(-1);
      const body = `  ${text.slice(at + 2, end)}`;
      // Comments on consecutive lines are one passage, unless there is code between them.
      if (last?.kind === "comment" && /^\n?[ \t]*$/.test(text.slice(last.start + last.text.length, at))) {
        last.text += text.slice(last.start + last.text.length, at) + body;
      } else found.push({ kind: "comment", start: at, text: body });
      at = end;
    } else if (two === "/*") {
      const closing = text.indexOf("*/", at + 2);
      const end = closing < 0 ? text.length : closing;
      const body = text.slice(at, end).replaceAll(/^(\s*)(\/\*\*?|\*)/gm, (all) => all.replaceAll(/[/*]/g, " "));
      found.push({ kind: "comment", start: at, text: body });
      at = end + 2;
    } else if (char === '"' || char === "'") {
      const start = at + 1;
      at = start;
      while (at < text.length && text[at] !== char && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
      addString(start, text.slice(start, at));
      at += 1;
      code = "x";
    } else if (char === "`") {
      at += 1;
      template();
    } else if (char === "}" && templates.at(-1) === 0) {
      templates.pop();
      at += 1;
      template();
    } else if (char === "/" && BEFORE_REGEX.test(code.trimEnd())) {
      at = regexEnd(text, at);
      code = "x";
    } else {
      if (templates.length > 0 && (char === "{" || char === "}")) {
        templates[templates.length - 1] = (templates.at(-1) ?? 0) + (char === "{" ? 1 : -1);
      }
      code = /\s/.test(char) ? `${code.trimEnd()} ` : (code + char).slice(-12);
      at += 1;
      const between = jsx && ((char === ">" && text[at - 2] !== "=") || char === "}") ? jsxText(text, at) : "";
      if (between !== "") {
        addString(at, between);
        at += between.length;
        code = "";
      }
    }
  }
  const lineOf = lineCounter(text);
  return found.map(({ start, ...passage }) => ({ ...passage, line: lineOf(start) }));
}

/** The text from here to the next tag or expression; "" if this does not look like JSX. @param {string} text @param {number} at */
function jsxText(text, at) {
  const between = /^[^<>{}"`;]*(?=[<{])/.exec(text.slice(at, at + 2_000))?.[0] ?? "";
  const words = /[A-Za-z]{2,} +[A-Za-z]/.test(between);
  return words && !/\/[/*]|\b(?:const|function|return|import|export|extends)\b|[=|&]|(?<!\w)'|'(?!\w)/.test(between)
    ? between
    : "";
}

/** @param {string} text @param {number} at that of the first slash */
function regexEnd(text, at) {
  let inClass = false;
  let end = at + 1;
  for (; end < text.length && text[end] !== "\n"; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === "[") inClass = true;
    else if (text[end] === "]") inClass = false;
    else if (text[end] === "/" && !inClass) return end + 1;
  }
  return at + 1;
}

/**
 * Code blocks and code spans become blank, except for the comments and strings of TypeScript blocks.
 * @param {string} text
 * @returns {Passage[]}
 */
function markdown(text) {
  /** @type {Passage[]} */
  const inBlocks = [];
  const lineOf = lineCounter(text);
  const fence = /^( *)```(\w*)[^\n]*\n[\s\S]*?^\1```$/gm;
  let prose = text;
  for (const { index, 0: block, 2: language = "" } of text.matchAll(fence)) {
    const line = lineOf(index);
    const inside = language === "md" ? [] : (READERS[language]?.(block.slice(block.indexOf("\n") + 1)) ?? []);
    inBlocks.push(...inside.map((passage) => ({ ...passage, line: passage.line + line })));
    prose = prose.slice(0, index) + blank(block) + prose.slice(index + block.length);
  }
  return [{ kind: "markdown", line: 1, text: prose.replaceAll(/\]\([^)\n]*\)/g, blankLink) }, ...inBlocks];
}

/** @param {string} link */
const blankLink = (link) => `]${" ".repeat(link.length - 1)}`;

/** @param {string} text @param {string} mark @returns {Passage[]} */
function commentLines(text, mark) {
  /** @type {Passage[]} */
  const found = [];
  let open = false;
  for (const [index, line] of text.split("\n").entries()) {
    const at = commentStart(line, mark);
    const alone = at >= 0 && line.slice(0, at).trim() === "";
    const body = at < 0 ? "" : line.slice(at + mark.length);
    if (at >= 0 && open && alone) found[found.length - 1] = joined(found.at(-1), body);
    else if (at >= 0) found.push({ kind: "comment", line: index + 1, text: body });
    open = alone;
  }
  return found;
}

/** @param {Passage | undefined} passage @param {string} body @returns {Passage} */
const joined = (passage, body) => ({
  kind: "comment",
  line: passage?.line ?? 1,
  text: `${passage?.text ?? ""}\n${body}`,
});

/** @param {string} line @param {string} mark */
function commentStart(line, mark) {
  const match = new RegExp(String.raw`(?:^|\s)${mark}(?=\s)`).exec(line);
  return match === null ? -1 : line.indexOf(mark, match.index);
}

/** @param {string} text @param {RegExp} pattern @returns {Passage[]} */
function blockComments(text, pattern) {
  const lineOf = lineCounter(text);
  return [...text.matchAll(pattern)].map((match) => ({
    kind: "comment",
    line: lineOf(match.index),
    text: match[0].replaceAll(/<!--|-->|\/\*|\*\//g, "  "),
  }));
}

/** The texts of an OpenAPI document and of a manifest. @param {string} text @returns {Passage[]} */
function jsonTexts(text) {
  const lineOf = lineCounter(text);
  return [...text.matchAll(/"(?:description|summary|title)": ("(?:[^"\\\n]|\\.)*")/g)].map((match) => ({
    kind: "comment",
    line: lineOf(match.index),
    text: String(JSON.parse(match[1] ?? '""')),
  }));
}

/** @param {string} text */
const blank = (text) => text.replaceAll(/[^\n]/g, " ");

/** @param {string} text @param {number} at */
function lineEnd(text, at) {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Counts lines for offsets that ascend. @param {string} text @returns {(offset: number) => number} */
function lineCounter(text) {
  let at = 0;
  let line = 1;
  return (offset) => {
    for (; at < offset; at += 1) if (text[at] === "\n") line += 1;
    return line;
  };
}
