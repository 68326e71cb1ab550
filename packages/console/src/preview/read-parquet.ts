import type { ParquetReply, ParquetRequest } from "./parquet-worker.js";
import type { Table } from "./table.js";

const MAX_MS = 30_000;

/** Throws if the file is damaged, or reading takes too long. */
export function readParquet(request: ParquetRequest): Promise<Table> {
  const worker = new Worker(new URL("./parquet-worker.ts", import.meta.url), { type: "module" });
  return new Promise<Table>((resolve, reject) => {
    const refuse = (problem: string): void => reject(new Error(problem));
    const timer = setTimeout(() => refuse("Reading the file takes too long."), MAX_MS);
    worker.onmessage = ({ data }: MessageEvent<ParquetReply>) => {
      clearTimeout(timer);
      if ("table" in data) resolve(data.table);
      else refuse(data.problem);
    };
    worker.onerror = () => refuse("The code of the preview could not be loaded.");
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
