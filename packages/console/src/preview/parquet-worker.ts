/**
 * Reads the first rows of a Parquet file in a worker, which the page stops if it takes long. It fetches the end of the file
 * and the start of each column, within a budget.
 */
import { parquetMetadataAsync, parquetRead, parquetSchema, type AsyncBuffer, type FileMetaData } from "hyparquet";
import { cellText, MAX_COLUMNS, MAX_ROWS, tableOf, type Table } from "./table.js";

export interface ParquetRequest {
  /** Address of a part of the artifact, without a query. */
  readonly url: string;
  readonly sizeBytes: number;
}

export type ParquetReply = { readonly table: Table } | { readonly problem: string };

const FOOTER_BYTES = 64 * 1024;
/** A column is read only as far as its first pages. */
const MAX_FETCH_BYTES = 2 * 1024 * 1024;
const MAX_TOTAL_BYTES = 12 * 1024 * 1024;

self.onmessage = ({ data }: MessageEvent<ParquetRequest>) => {
  void read(data).then(
    (table) => self.postMessage({ table } satisfies ParquetReply),
    (error: unknown) => self.postMessage({ problem: messageOf(error) } satisfies ParquetReply),
  );
};

async function read({ url, sizeBytes }: ParquetRequest): Promise<Table> {
  const file = bounded(url, sizeBytes);
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: FOOTER_BYTES });
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  const total = Number(metadata.num_rows);
  const count = Math.min(total, MAX_ROWS);
  const values: (readonly unknown[] | null)[] = [];
  for (const column of columns.slice(0, MAX_COLUMNS)) values.push(await readColumn({ file, metadata, column, count }));
  const rows = Array.from({ length: count }, (_, row) => values.map((column) => cellText(column?.[row])));
  const missing = columns.filter((_, at) => values[at] === null);
  const table = tableOf(columns, rows, { total, isPart: total > count });
  if (missing.length > 0 && missing.length === Math.min(columns.length, MAX_COLUMNS)) throw new Error(UNREADABLE);
  return missing.length === 0 ? table : { ...table, note: `${table.note}. Not shown: ${missing.join(", ")}` };
}

const UNREADABLE =
  "The preview cannot read its columns. It reads uncompressed and Snappy-compressed pages of at most 2 MB.";

interface ColumnPlace {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly column: string;
  readonly count: number;
}

/** Returns `null` if the column has another compression, or its first page is too large. */
async function readColumn({ file, metadata, column, count }: ColumnPlace): Promise<readonly unknown[] | null> {
  let rows: readonly (readonly unknown[])[] = [];
  try {
    await parquetRead({
      file,
      metadata,
      columns: [column],
      rowEnd: count,
      onComplete: (found: readonly (readonly unknown[])[]) => (rows = found),
    });
    return rows.length < count ? null : rows.map(([value]) => value);
  } catch {
    return null;
  }
}

/** Cuts off long parts, and refuses to fetch more than the budget. */
function bounded(url: string, byteLength: number): AsyncBuffer {
  let left = MAX_TOTAL_BYTES;
  return {
    byteLength,
    slice: async (start, end = byteLength) => {
      const bytes = Math.min(end - start, MAX_FETCH_BYTES);
      left -= bytes;
      if (left < 0) throw new Error("The preview would have to read too much of the file.");
      const response = await fetch(`${url}/preview?offset=${start}&bytes=${bytes}`);
      if (!response.ok) throw new Error(`The server answered ${response.status}.`);
      return response.arrayBuffer();
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
