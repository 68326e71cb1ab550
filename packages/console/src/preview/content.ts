/** Decides how the start of an artifact is shown. The kind is a name that a step chose: it is a hint, never a proof. */
import { readCsv } from "./csv.js";
import { readJsonLines } from "./json-lines.js";
import type { Table } from "./table.js";

export type Content =
  | { readonly type: "table"; readonly table: Table }
  | { readonly type: "markdown"; readonly text: string }
  | { readonly type: "parquet" }
  | { readonly type: "empty" }
  | { readonly type: "none" };

const NAMES = {
  csv: /(^|[^a-z])(csv|tsv)$/i,
  jsonLines: /(^|[^a-z])(jsonl|ndjson|json-lines)$/i,
  markdown: /(^|[^a-z])(md|markdown)$/i,
};

/** `isPart` is `true` if more bytes follow. */
export function contentOf(kind: string, bytes: Uint8Array, isPart: boolean): Content {
  if (bytes.length === 0) return { type: "empty" };
  if (startsWith(bytes, "PAR1")) return { type: "parquet" };
  const text = textOf(bytes, isPart);
  if (text === null) return { type: "none" };
  if (NAMES.markdown.test(kind)) return { type: "markdown", text };
  const isCsv = NAMES.csv.test(kind);
  const table =
    (isCsv ? null : readJsonLines(text, isPart, NAMES.jsonLines.test(kind))) ?? readCsv(text, isPart, isCsv);
  if (table !== null) return { type: "table", table };
  return /^\s*#{1,6} \S/.test(text) ? { type: "markdown", text } : { type: "none" };
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Array.from(text).every((letter, at) => bytes[at] === letter.charCodeAt(0));
}

/** Returns `null` for bytes that are not UTF-8 text. */
export function textOf(bytes: Uint8Array, isPart: boolean): string | null {
  try {
    // a part may end within a character
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isPart });
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
