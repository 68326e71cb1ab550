/**
 * A folder of JSON lines. `events-….jsonl` files hold the events. `parts.jsonl` maps each byte range to a part of a run, with
 * its count and checksum. A part is committed once its line is in `parts.jsonl`; the next export truncates anything after
 * the last committed part.
 */
import { open, readdir, readFile, rm, truncate, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { StopError } from "@runledger/contracts";
import { makeFolders } from "../config/make-folders.js";

export interface FilePart {
  readonly runId: string;
  readonly tenantId: string;
  readonly afterSeq: number;
  readonly toSeq: number;
  readonly events: number;
  /** Checksum of the run up to `toSeq`. */
  readonly checksum: string;
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** A part before it is written to a file. */
export interface NewPart extends Omit<FilePart, "file" | "offset" | "bytes"> {
  readonly text: Buffer;
}

/** Only the owner reads an export: it contains the data of all runs. */
const PRIVATE = 0o600;
const PARTS = "parts.jsonl";
const FORMAT = "runledger-export.json";
const SEGMENT_BYTES = 256 * 1024 * 1024;

const segmentName = (number: number): string => `events-${String(number).padStart(6, "0")}.jsonl`;

/** Reads the committed parts. Ignores an incomplete last line. */
export async function readParts(folder: string): Promise<FilePart[]> {
  const text = await readFile(join(folder, PARTS), "utf8").catch(missingIsEmpty);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter(Boolean)
    .map((line, index) => parsePart(line, index));
}

function parsePart(line: string, index: number): FilePart {
  try {
    return JSON.parse(line) as FilePart;
  } catch (cause) {
    throw new StopError("COPY_MISMATCH", `Line ${index + 1} of ${PARTS} is corrupt. Export into a new folder.`, {
      cause,
    });
  }
}

/** Creates the folder, or truncates uncommitted data. Returns the committed parts. */
export async function openFolder(folder: string): Promise<FilePart[]> {
  await makeFolders(folder, 0o700);
  const names = await readdir(folder);
  if (names.length > 0 && !names.includes(FORMAT))
    throw new StopError("COPY_MISMATCH", `${folder} is not an export. Export into an empty folder.`);
  await writeFile(join(folder, FORMAT), `${JSON.stringify({ format: 1 })}\n`, { mode: PRIVATE });
  const parts = await readParts(folder);
  await writeFile(join(folder, PARTS), "", { flag: "a", mode: PRIVATE });
  await truncate(join(folder, PARTS), Buffer.byteLength(parts.map(partLine).join("")));
  await cutOff(folder, names, parts.at(-1));
  return parts;
}

async function cutOff(folder: string, names: readonly string[], last: FilePart | undefined): Promise<void> {
  for (const name of names.filter((each) => each.startsWith("events-"))) {
    if (last === undefined || name > last.file) await rm(join(folder, name));
    else if (name === last.file) await truncate(join(folder, name), last.offset + last.bytes);
  }
}

const partLine = (part: FilePart): string => `${JSON.stringify(part)}\n`;

/** Appends events to the newest segment, and lists their parts once the events are on disk. */
export class FolderWriter {
  readonly #folder: string;
  readonly #parts: FileHandle;
  #segment: FileHandle;
  #number: number;
  #offset: number;

  private constructor(folder: string, parts: FileHandle, segment: FileHandle, number: number, offset: number) {
    this.#folder = folder;
    this.#parts = parts;
    this.#segment = segment;
    this.#number = number;
    this.#offset = offset;
  }

  static async open(folder: string, last: FilePart | undefined): Promise<FolderWriter> {
    const number = last === undefined ? 1 : Number(/\d+/.exec(last.file)![0]);
    const parts = await open(join(folder, PARTS), "a", PRIVATE);
    const segment = await open(join(folder, segmentName(number)), "a+", PRIVATE);
    return new FolderWriter(folder, parts, segment, number, last === undefined ? 0 : last.offset + last.bytes);
  }

  /** Callers must await each call before the next. */
  async append(parts: readonly NewPart[]): Promise<void> {
    const data = Buffer.concat(parts.map(({ text }) => text));
    await this.#segment.appendFile(data);
    await this.#segment.datasync();
    await this.#compare(data);
    await this.#parts.appendFile(this.#placed(parts).map(partLine).join(""));
    await this.#parts.datasync();
    this.#offset += data.length;
    if (this.#offset > SEGMENT_BYTES) await this.#nextSegment();
  }

  #placed(parts: readonly NewPart[]): FilePart[] {
    const file = segmentName(this.#number);
    let offset = this.#offset;
    return parts.map(({ text, ...part }) => {
      const place = { file, offset, bytes: text.length };
      offset += text.length;
      return { ...part, ...place };
    });
  }

  async close(): Promise<void> {
    await this.#segment.close();
    await this.#parts.close();
  }

  /** Reads the data back and compares it before the part is committed. */
  async #compare(data: Buffer): Promise<void> {
    const written = Buffer.allocUnsafe(data.length);
    const { bytesRead } = await this.#segment.read(written, 0, data.length, this.#offset);
    if (bytesRead === data.length && written.equals(data)) return;
    const file = segmentName(this.#number);
    throw new StopError(
      "COPY_MISMATCH",
      `${file} does not contain what was written to it. Check the disk, then export again.`,
    );
  }

  async #nextSegment(): Promise<void> {
    await this.#segment.close();
    this.#segment = await open(join(this.#folder, segmentName(++this.#number)), "a+", PRIVATE);
    this.#offset = 0;
  }
}

function missingIsEmpty(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
  throw error;
}
