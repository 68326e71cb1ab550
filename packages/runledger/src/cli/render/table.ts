/** Aligns rows in columns and fits them to the width of the terminal. */
import stringWidth from "string-width";
import { paint } from "./terminal.js";
import { truncate } from "./truncate.js";

const GAP = "   ";
const MIN_WIDTH = 8;

export interface TableOptions {
  /** Columns that shrink if the terminal is narrow, in this order. Defaults to the last column. */
  readonly shrink?: readonly number[];
  /** Names of the columns. Printed on terminals only, so that scripts read the same lines as before. */
  readonly head?: readonly string[];
  /** Defaults to the width of the terminal. Without a terminal, columns do not shrink. */
  readonly width?: number;
}

export function table(cells: readonly (readonly string[])[], options: TableOptions = {}): string[] {
  const body = cells.map((row) => row.map(oneLine));
  const [first] = body;
  if (first === undefined) return [];
  const rows = options.head === undefined || !process.stdout.isTTY ? body : [headOf(options.head, body), ...body];
  const natural = first.map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ""))));
  const { shrink = [first.length - 1], width = terminalWidth() } = options;
  const widths = fit(natural, shrink, width - GAP.length * (natural.filter((each) => each > 0).length - 1));
  return rows.map((row) => line(row, widths));
}

/** A line break in a value must not look like another row. */
function oneLine(text: string): string {
  return text.replaceAll(/[ \t]*[\r\n\u0085\u2028\u2029]+[ \t]*/g, " ");
}

/** A column without values stays hidden. */
function headOf(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  return head.map((name, column) => (body.some((row) => row[column] !== "") ? paint("dim", name) : ""));
}

function fit(natural: readonly number[], shrink: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) - room;
  for (const column of shrink) {
    const removed = Math.max(0, Math.min(excess, widths[column]! - MIN_WIDTH));
    widths[column]! -= removed;
    excess -= removed;
  }
  return widths;
}

/** Omits columns that are empty in every row. */
function line(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.flatMap((width, column) => {
    if (width === 0) return [];
    return [padTo(truncate(row[column] ?? "", width), width)];
  });
  return cells.join(GAP).trimEnd();
}

/** `padEnd` by columns on the screen. */
export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Infinity; // a terminal without a size reports 0 columns
}
