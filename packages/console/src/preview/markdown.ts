/**
 * Reads Markdown into blocks. HTML is text, images are their description, and a link must have an absolute address, so that
 * rendering fetches nothing and runs nothing.
 */

export type Inline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "em" | "del"; readonly inner: readonly Inline[] }
  | { readonly type: "link"; readonly href: string; readonly inner: readonly Inline[] };

export type Block =
  | { readonly type: "heading"; readonly level: number; readonly inner: readonly Inline[] }
  | { readonly type: "paragraph"; readonly inner: readonly Inline[] }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | { readonly type: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly type: "table"; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly type: "rule" };

const MAX_DEPTH = 6;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +)/;

export function readMarkdown(text: string, depth = 0): readonly Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const { block, next } = blockAt(lines, at, depth);
    if (block !== null) blocks.push(block);
    at = next;
  }
  return blocks;
}

interface Read {
  readonly block: Block | null;
  readonly next: number;
}

function blockAt(lines: readonly string[], at: number, depth: number): Read {
  const line = lines[at]!;
  if (line.trim() === "") return { block: null, next: at + 1 };
  if (/^ {0,3}(```|~~~)/.test(line)) return codeAt(lines, at);
  const heading = /^ {0,3}(#{1,6}) +(.*)$/.exec(line);
  if (heading !== null) {
    const [, marks, title] = heading;
    const inner = readInline(titleOf(title!));
    return { block: { type: "heading", level: marks!.length, inner }, next: at + 1 };
  }
  if (/^ {0,3}([-*_] *){3,}$/.test(line)) return { block: { type: "rule" }, next: at + 1 };
  if (depth < MAX_DEPTH && /^ {0,3}>/.test(line)) return quoteAt(lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return listAt(lines, at, depth);
  if (line.includes("|") && isSeparator(lines[at + 1] ?? "")) return tableAt(lines, at);
  return paragraphAt(lines, at, depth);
}

/** Removes the closing marks. A pattern would take cubic time on long white space. */
function titleOf(title: string): string {
  const bare = title.trimEnd();
  let end = bare.length;
  while (bare[end - 1] === "#") end--;
  return bare[end - 1] === " " ? bare.slice(0, end).trimEnd() : bare;
}

function isSeparator(line: string): boolean {
  return cellsOf(line).every((cell) => /^:?-+:?$/.test(cell));
}

function codeAt(lines: readonly string[], from: number): Read {
  const fence = lines[from]!.trim().slice(0, 3);
  const to = firstAfter(lines, from, (line) => line.trim().startsWith(fence));
  return { block: { type: "code", text: lines.slice(from + 1, to).join("\n") }, next: to + 1 };
}

function quoteAt(lines: readonly string[], from: number, depth: number): Read {
  const to = firstAfter(lines, from, (line) => !/^ {0,3}>/.test(line));
  const inner = lines.slice(from, to).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { block: { type: "quote", blocks: readMarkdown(inner.join("\n"), depth + 1) }, next: to };
}

/** An item continues on lines that are indented below its text. */
function listAt(lines: readonly string[], from: number, depth: number): Read {
  const isOrdered = /\d/.test(ITEM.exec(lines[from]!)![2]!);
  const items: (readonly Block[])[] = [];
  let at = from;
  for (let item = ITEM.exec(lines[at]!); item !== null; item = ITEM.exec(lines[at] ?? "")) {
    if (/\d/.test(item[2]!) !== isOrdered) break;
    const width = item[0].length;
    const isOutside = (line: string): boolean => line.trim() !== "" && !line.startsWith("  ");
    const to = firstAfter(lines, at, isOutside);
    const inner = [lines[at]!.slice(width), ...lines.slice(at + 1, to).map((line) => unindent(line, width))];
    items.push(readMarkdown(inner.join("\n"), depth + 1));
    at = to;
  }
  return { block: { type: "list", isOrdered, items }, next: at };
}

function unindent(line: string, width: number): string {
  return line.slice(Math.min(width, line.length - line.trimStart().length));
}

function tableAt(lines: readonly string[], from: number): Read {
  const to = firstAfter(lines, from + 1, (line) => !line.includes("|"));
  const rows = lines.slice(from, to).filter((_, index) => index !== 1);
  return { block: { type: "table", rows: rows.map((line) => cellsOf(line).map(readInline)) }, next: to };
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());
}

function paragraphAt(lines: readonly string[], from: number, depth: number): Read {
  const isOther = (line: string): boolean =>
    line.trim() === "" ||
    /^ {0,3}(#{1,6} |```|~~~)/.test(line) ||
    (depth < MAX_DEPTH && /^ {0,3}(>|[-*+] )/.test(line));
  const to = firstAfter(lines, from, isOther);
  return { block: { type: "paragraph", inner: readInline(lines.slice(from, to).join("\n")) }, next: to };
}

function firstAfter(lines: readonly string[], from: number, matches: (line: string) => boolean): number {
  let at = from + 1;
  while (at < lines.length && !matches(lines[at]!)) at++;
  return at;
}

/** Each pattern is bounded, so that long text without an end mark is read in linear time. */
const INLINE: readonly (readonly [RegExp, (parts: RegExpExecArray, depth: number) => Inline])[] = [
  [/^\\([!-/:-@[-`{-~])/, ([, mark]) => ({ type: "text", text: mark! })],
  [/^`([^`\n]{1,300})`/, ([, text]) => ({ type: "code", text: text! })],
  [/^!\[([^\]]{0,300})\]\([^()\s]{0,2000}(?: [^()\n]{0,200})?\)/, ([, text]) => ({ type: "text", text: text! })],
  [
    /^\[([^\]]{1,300})\]\(([^()\s]{1,2000})(?: [^()\n]{0,200})?\)/,
    ([, text, href], depth) => linkTo(href!, text!, depth),
  ],
  [
    /^<(https?:\/\/[^\s<>]{1,2000})>/,
    ([, href]) => ({ type: "link", href: href!, inner: [{ type: "text", text: href! }] }),
  ],
  [/^\*\*([^*\n]{1,300})\*\*/, ([, text], depth) => ({ type: "strong", inner: readInline(text!, depth + 1) })],
  [/^~~([^~\n]{1,300})~~/, ([, text], depth) => ({ type: "del", inner: readInline(text!, depth + 1) })],
  [/^\*([^*\s][^*\n]{0,300})\*/, ([, text], depth) => ({ type: "em", inner: readInline(text!, depth + 1) })],
];

function linkTo(href: string, text: string, depth: number): Inline {
  const inner = readInline(text, depth + 1);
  return isSafe(href) ? { type: "link", href, inner } : { type: "text", text };
}

/** Only addresses that a browser opens as a page or as mail. */
function isSafe(href: string): boolean {
  return /^(https?:\/\/|mailto:)[^\s]/i.test(href) && URL.canParse(href);
}

export function readInline(text: string, depth = 0): readonly Inline[] {
  const found: Inline[] = [];
  let plain = "";
  for (let at = 0; at < text.length;) {
    const match = depth < MAX_DEPTH ? matchAt(text, at) : null;
    if (match === null) {
      plain += text[at++];
      continue;
    }
    if (plain !== "") found.push({ type: "text", text: plain });
    plain = "";
    found.push(match.make(match.parts, depth));
    at += match.parts[0].length;
  }
  if (plain !== "") found.push({ type: "text", text: plain });
  return found;
}

function matchAt(text: string, at: number) {
  if (!"\\`![<*~".includes(text[at]!)) return null;
  const rest = text.slice(at, at + 4000);
  for (const [pattern, make] of INLINE) {
    const parts = pattern.exec(rest);
    if (parts !== null) return { parts, make };
  }
  return null;
}
