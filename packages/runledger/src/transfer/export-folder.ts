/**
 * A folder of JSON lines. `events-….jsonl` hold the events, `parts.jsonl` says which stretch of which file is which part of
 * which run, with its count and checksum. A part counts once it is in `parts.jsonl`; what a crash has left behind it is cut
 * off by the next export.
 */
import { open, mkdir, readdir, readFile, rm, truncate, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { StopError } from "@runledger/contracts";

export interface FilePart {
  readonly runId: string;
  readonly tenantId: string;
  readonly afterSeq: number;
  readonly toSeq: number;
  readonly events: number;
  /** Of the run up to `toSeq`. */
  readonly checksum: string;
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** A part that has no place yet. */
export interface NewPart extends Omit<FilePart, "file" | "offset" | "bytes"> {
  readonly text: Buffer;
}

const PARTS = "parts.jsonl";
const FORMAT = "runledger-export.json";
const SEGMENT_BYTES = 256 * 1024 * 1024;

const segmentName = (number: number): string => `events-${String(number).padStart(6, "0")}.jsonl`;

/** The parts that count. A last line without its end does not. */
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
    throw new StopError("COPY_MISMATCH", `Line ${index + 1} of ${PARTS} is damaged. Export into a new folder.`, {
      cause,
    });
  }
}

/** Makes the folder, or cuts off what does not count. Gives the parts that do. */
export async function openFolder(folder: string): Promise<FilePart[]> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(folder);
  if (names.length > 0 && !names.includes(FORMAT))
    throw new StopError("COPY_MISMATCH", `${folder} holds something else. Export into an empty folder.`);
  await writeFile(join(folder, FORMAT), `${JSON.stringify({ format: 1 })}\n`);
  const parts = await readParts(folder);
  await writeFile(join(folder, PARTS), "", { flag: "a" });
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

/** Appends to the newest segment, and to the list of parts once what they name is on disk. */
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
    const parts = await open(join(folder, PARTS), "a");
    const segment = await open(join(folder, segmentName(number)), "a+");
    return new FolderWriter(folder, parts, segment, number, last === undefined ? 0 : last.offset + last.bytes);
  }

  /** One call after the other. */
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

  /** What is on disk is what was meant, before it counts. */
  async #compare(data: Buffer): Promise<void> {
    const written = Buffer.allocUnsafe(data.length);
    const { bytesRead } = await this.#segment.read(written, 0, data.length, this.#offset);
    if (bytesRead === data.length && written.equals(data)) return;
    const file = segmentName(this.#number);
    throw new StopError("COPY_MISMATCH", `What was written to ${file} is not what is read back from it.`);
  }

  async #nextSegment(): Promise<void> {
    await this.#segment.close();
    this.#segment = await open(join(this.#folder, segmentName(++this.#number)), "a+");
    this.#offset = 0;
  }
}

function missingIsEmpty(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
  throw error;
}
