/** Rows with columns that stand below each other, as wide as the terminal and no wider. */
import { cut, visibleLength } from "./visible-text.js";

const GAP = "   ";

export interface TableOptions {
  /** Columns that give way where the terminal is narrow, the first of them first. Default: the last one. */
  readonly shrink?: readonly number[];
  /** Default: that of the terminal; elsewhere nothing is cut. */
  readonly width?: number;
}

/** No column gets narrower than this. */
const LEAST = 8;

export function table(rows: readonly (readonly string[])[], options: TableOptions = {}): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const natural = first.map((_, column) => Math.max(...rows.map((row) => visibleLength(row[column] ?? ""))));
  const { shrink = [first.length - 1], width = terminalWidth() } = options;
  const widths = fitted(natural, shrink, width - GAP.length * (natural.filter((each) => each > 0).length - 1));
  return rows.map((row) => line(row, widths));
}

function fitted(natural: readonly number[], shrink: readonly number[], room: number): number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, each) => sum + each, 0) - room;
  for (const column of shrink) {
    const given = Math.max(0, Math.min(over, widths[column]! - LEAST));
    widths[column]! -= given;
    over -= given;
  }
  return widths;
}

/** A column that is empty everywhere takes no room. */
function line(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.flatMap((width, column) => {
    const text = cut(row[column] ?? "", width);
    return width === 0 ? [] : [text + " ".repeat(width - visibleLength(text))];
  });
  return cells.join(GAP).trimEnd();
}

function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Infinity; // a terminal that nobody has given a size says 0
}
