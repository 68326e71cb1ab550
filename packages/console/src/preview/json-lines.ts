/** Reads the first lines of a file with one JSON object per line. */
import { cellText, MAX_ROWS, tableOf, type Table } from "./table.js";

/** Returns `null` if the text is not a table. `isPart` is `true` if more text follows. */
export function readJsonLines(text: string, isPart: boolean, isNamed: boolean): Table | null {
  const lines = text.split("\n");
  if (isPart) lines.pop(); // it may be cut off
  const filled = lines.filter((line) => line.trim() !== "");
  const objects = filled.slice(0, MAX_ROWS).map(objectIn);
  if (objects.length < (isNamed ? 1 : 2) || objects.some((one) => one === null)) return null;
  const rows = objects as readonly Readonly<Record<string, unknown>>[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((name) => cellText(Object.hasOwn(row, name) ? row[name] : null)));
  const total = isPart ? {} : { total: filled.length };
  return tableOf(columns, cells, { ...total, isPart: isPart || filled.length > MAX_ROWS });
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
