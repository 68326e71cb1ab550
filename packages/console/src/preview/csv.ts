/** Reads the first records of a CSV file (RFC 4180). The delimiter is a comma, a semicolon, a tab or a vertical bar. */
import { cellText, MAX_ROWS, tableOf, type Table } from "./table.js";

const DELIMITERS = [",", ";", "\t", "|"];

/** Returns `null` if the text is not a table. `isPart` is `true` if more text follows. */
export function readCsv(text: string, isPart: boolean, isNamed: boolean): Table | null {
  const clean = text.replace(/^\uFEFF/, "");
  const found = DELIMITERS.map((delimiter) => records(clean, delimiter, isPart));
  const best = found.reduce((one, other) => (widthOf(other) > widthOf(one) ? other : one));
  const [header, ...rows] = best;
  if (header === undefined || (!isNamed && !isLikely(best))) return null;
  const cells = rows.map((row) => row.map(cellText));
  return tableOf(header, cells, { isPart: isPart || rows.length > MAX_ROWS });
}

/** Returns the number of columns if all records have it, else 1. */
function widthOf(rows: readonly (readonly string[])[]): number {
  const width = rows[0]?.length ?? 1;
  return rows.slice(0, 10).every((row) => row.length === width) ? width : 1;
}

/** Text without a name like `orders.csv` is a table if its first records have the same columns, each with a name. */
function isLikely(rows: readonly (readonly string[])[]): boolean {
  const [header = []] = rows;
  const isHeader =
    header.every((name) => /^[\p{L}_"][^<>{}]{0,80}$/u.test(name)) && new Set(header).size === header.length;
  return rows.length > 1 && widthOf(rows) > 1 && isHeader;
}

/** Stops after the rows that are shown and one more. Drops the last record of a part, which may be cut off. */
function records(text: string, delimiter: string, isPart: boolean): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length && rows.length < MAX_ROWS + 2;) {
    const field = text[at] === '"' ? quoted(text, at) : plain(text, at, delimiter);
    row.push(field.value);
    at = field.next;
    if (text[at] === delimiter && at + 1 < text.length) at++;
    else {
      if (at < text.length || !isPart) rows.push(row);
      row = [];
      at = afterLine(text, at, delimiter);
    }
  }
  return rows.filter((one) => one.length > 1 || one[0] !== "");
}

interface Field {
  readonly value: string;
  readonly next: number;
}

function plain(text: string, from: number, delimiter: string): Field {
  let next = from;
  while (next < text.length && text[next] !== delimiter && text[next] !== "\n" && text[next] !== "\r") next++;
  return { value: text.slice(from, next), next };
}

/** A doubled quote stands for one quote. Text after the closing quote is kept. */
function quoted(text: string, from: number): Field {
  let value = "";
  let start = from + 1;
  for (;;) {
    const end = text.indexOf('"', start);
    if (end === -1) return { value: value + text.slice(start), next: text.length };
    value += text.slice(start, end);
    if (text[end + 1] !== '"') return { value, next: end + 1 };
    value += '"';
    start = end + 2;
  }
}

function afterLine(text: string, at: number, delimiter: string): number {
  if (text[at] === "\r" && text[at + 1] === "\n") return at + 2;
  if (text[at] === "\n" || text[at] === "\r" || text[at] === delimiter) return at + 1;
  const end = text.indexOf("\n", at); // damaged: text follows a closing quote
  return end === -1 ? text.length : end + 1;
}
