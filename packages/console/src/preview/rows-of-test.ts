import { cellText, tableOf, type Table } from "./table.js";

interface KeptRow {
  readonly step: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Returns the rows of one test from lines of `{ "step": …, "row": … }`. `null` if it has none. */
export function rowsOfTest(text: string, step: string): Table | null {
  const kept = text.split("\n").flatMap((line) => keptIn(line, step));
  if (kept.length === 0) return null;
  const columns = [...new Set(kept.flatMap(({ row }) => Object.keys(row)))];
  const cells = kept.map(({ row }) => columns.map((name) => cellText(Object.hasOwn(row, name) ? row[name] : null)));
  const table = tableOf(columns, cells, { isPart: false });
  return { ...table, note: `${table.note} kept` };
}

function keptIn(line: string, step: string): readonly KeptRow[] {
  if (line.trim() === "") return [];
  try {
    const kept = JSON.parse(line) as KeptRow;
    return kept.step === step ? [kept] : [];
  } catch {
    return []; // the last line of a part may be cut off
  }
}
