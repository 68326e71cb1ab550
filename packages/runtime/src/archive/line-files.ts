/** Compressed files of JSON lines. A file is written whole and read back; its name contains its checksum. */
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { ArchivePlace } from "./archive-place.js";
import { damaged } from "./damaged.js";
import { dataKey, type ArchiveFile } from "./manifest.js";

/** Length of the text at which a file is complete. It bounds the memory of writers and readers. */
const FILE_LENGTH = 4 * 1024 * 1024;

/** Gathers lines until they fill a file. */
export class LineBuffer {
  #text = "";
  #lines = 0;

  add(line: string): void {
    this.#text += `${line}\n`;
    this.#lines++;
  }

  get isFull(): boolean {
    return this.#text.length >= FILE_LENGTH;
  }

  get lines(): number {
    return this.#lines;
  }

  take(): { readonly text: Buffer; readonly lines: number } {
    const taken = { text: Buffer.from(this.#text), lines: this.#lines };
    [this.#text, this.#lines] = ["", 0];
    return taken;
  }
}

interface NewFile {
  readonly runId: string;
  readonly kind: "events" | "artifacts";
  /** Counts from 1. */
  readonly number: number;
  readonly lines: number;
  readonly text: Buffer;
}

/** Resolves after the file was read back. A file that the archive has already is not written again. */
export async function writeLines(
  place: ArchivePlace,
  { runId, kind, number, lines, text }: NewFile,
): Promise<ArchiveFile> {
  const data = await promisify(gzip)(text);
  const sha256 = hash("sha256", data, "hex");
  const file = `${kind}-${String(number).padStart(6, "0")}-${sha256.slice(0, 16)}.jsonl.gz`;
  await writeVerified(place, dataKey(runId, file), data);
  return { file, lines, textBytes: text.length, bytes: data.length, sha256 };
}

/** Throws ARCHIVE_DAMAGED if the place does not return what was written. */
export async function writeVerified(place: ArchivePlace, key: string, data: Buffer): Promise<void> {
  if ((await place.read(key))?.equals(data) === true) return;
  await place.write(key, data);
  if ((await place.read(key))?.equals(data) === true) return;
  throw damaged(place, key, "it does not contain what was written to it");
}

/** Returns the lines of a file after it was compared with its manifest. */
export async function readLines(place: ArchivePlace, runId: string, expected: ArchiveFile): Promise<string[]> {
  const key = dataKey(runId, expected.file);
  const data = await place.read(key);
  if (data === null) throw damaged(place, key, "it is missing");
  if (data.length !== expected.bytes)
    throw damaged(place, key, `it has ${data.length} bytes instead of ${expected.bytes}`);
  if (hash("sha256", data, "hex") !== expected.sha256) throw damaged(place, key, "its checksum differs");
  const text = await promisify(gunzip)(data, { maxOutputLength: expected.textBytes }).catch((error: unknown) => {
    throw damaged(place, key, "it cannot be decompressed", error);
  });
  const lines = text.toString("utf8").split("\n").slice(0, -1);
  if (lines.length !== expected.lines)
    throw damaged(place, key, `it has ${lines.length} lines instead of ${expected.lines}`);
  return lines;
}
