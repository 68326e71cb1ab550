/** The part of a table that a preview shows. */

export const MAX_ROWS = 100;
export const MAX_COLUMNS = 50;
const MAX_CELL = 300;

export interface Table {
  readonly columns: readonly string[];
  /** Cells in the order of the columns. `null` if the row has no value. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Describes which part of the table is shown: `First 100 of 5,000 rows`. */
  readonly note: string;
}

/** Returns the text of a cell. */
export function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : typeof value === "object" ? objectText(value) : plainText(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}

function plainText(value: unknown): string {
  const isPlain = typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
  return isPlain ? value.toString() : "";
}

function objectText(value: object): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? inner.toString() : inner)) ?? "";
}

/** Keeps the first columns, and describes which part is shown. `total` is absent if the number of rows is not known. */
export function tableOf(
  columns: readonly string[],
  rows: Table["rows"],
  { total, isPart }: { readonly total?: number; readonly isPart: boolean },
): Table {
  const shown = rows.slice(0, MAX_ROWS).map((row) => columns.slice(0, MAX_COLUMNS).map((_, at) => row[at] ?? null));
  return { columns: columns.slice(0, MAX_COLUMNS), rows: shown, note: noteOf(columns, { rows, total, isPart }) };
}

interface Shown {
  readonly rows: Table["rows"];
  readonly total: number | undefined;
  readonly isPart: boolean;
}

function noteOf(columns: readonly string[], { rows, total, isPart }: Shown): string {
  const shown = Math.min(rows.length, MAX_ROWS);
  const isAll = !isPart && rows.length <= MAX_ROWS;
  const known = total ?? (isPart ? undefined : rows.length);
  const of = known === undefined ? "" : ` of ${known.toLocaleString("en")}`;
  const rowText = isAll ? plural(shown, "row") : `First ${shown}${of} rows`;
  const columnText =
    columns.length > MAX_COLUMNS
      ? `first ${MAX_COLUMNS} of ${columns.length} columns`
      : plural(columns.length, "column");
  return `${rowText}, ${columnText}`;
}

function plural(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
