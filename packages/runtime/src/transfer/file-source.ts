/** Reads an export folder back. Checks the count and checksum of every part before it passes the part on. */
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { InputError, StopError, type CanonicalEngineEvent } from "@runledger/contracts";
import type { CopiedRun, CopyOptions } from "./copy-runs.js";
import type { CopyTarget, RunPart } from "./copy-target.js";
import { extend, NO_EVENTS } from "./event-line.js";
import { readAhead } from "./read-ahead.js";
import { readParts, type FilePart } from "./export-folder.js";

const GROUP_EVENTS = 4000;

export async function* copyFiles(
  folder: string,
  target: CopyTarget,
  { signal }: CopyOptions = {},
): AsyncGenerator<CopiedRun> {
  const parts = await readParts(folder);
  if (parts.length === 0) throw new InputError("OPTION_INVALID", "from", `${folder} is not an export folder.`);
  await using files = new Files(folder);
  for await (const read of readAhead(readGroups(files, parts))) {
    if (signal?.aborted === true) return;
    yield* writeParts(target, read);
  }
}

async function* readGroups(files: Files, parts: readonly FilePart[]): AsyncGenerator<RunPart[], void> {
  for (const group of grouped(parts))
    yield await Promise.all(group.map(({ part, before }) => readPart(files, part, before)));
}

interface Asked {
  readonly part: FilePart;
  /** Checksum of the run before this part. */
  readonly before: string;
}

/** Groups consecutive parts of different runs, to write them together. */
function* grouped(parts: readonly FilePart[]): Generator<Asked[]> {
  const checksums = new Map<string, string>();
  let [group, runs, events]: [Asked[], Set<string>, number] = [[], new Set(), 0];
  for (const part of parts) {
    if (runs.has(part.runId) || events + part.events > GROUP_EVENTS) {
      if (group.length > 0) yield group;
      [group, runs, events] = [[], new Set(), 0];
    }
    group.push({ part, before: checksums.get(part.runId) ?? NO_EVENTS });
    checksums.set(part.runId, part.checksum);
    runs.add(part.runId);
    events += part.events;
  }
  yield group;
}

/** Writes parts of different runs. Skips events that the target already has from an interrupted import. */
export async function* writeParts(target: CopyTarget, parts: readonly RunPart[]): AsyncGenerator<CopiedRun> {
  const positions = await target.positions(parts.map(({ runId }) => runId));
  const missing = parts.map((part, index) => behind(part, positions[index]!));
  await target.write(missing.filter(({ events }) => events.length > 0));
  await target.flush();
  for (const { runId, events } of missing) yield { runId, events: events.length };
}

function behind(part: RunPart, position: number): RunPart {
  if (position <= part.afterSeq) return part;
  return { ...part, afterSeq: position, events: part.events.filter(({ runSeq }) => runSeq > position) };
}

async function readPart(files: Files, part: FilePart, before: string): Promise<RunPart> {
  const lines = (await files.read(part)).split("\n").slice(0, -1);
  let checksum = before;
  for (const line of lines) checksum = extend(checksum, line);
  if (lines.length !== part.events || checksum !== part.checksum) throw damaged(part);
  const events = lines.map((line) => JSON.parse(line) as CanonicalEngineEvent);
  return { runId: part.runId, tenantId: part.tenantId, afterSeq: part.afterSeq, events };
}

function damaged({ runId, afterSeq, toSeq, file }: FilePart): StopError {
  const message = `Events ${afterSeq + 1} to ${toSeq} of run ${runId} in ${file} are not those that were exported: count or checksum differ. They were not imported; export again, or restore the file.`;
  return new StopError("COPY_MISMATCH", message);
}

class Files implements AsyncDisposable {
  readonly #folder: string;
  readonly #opened = new Map<string, Promise<FileHandle>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read({ file, offset, bytes }: FilePart): Promise<string> {
    const opening = this.#opened.get(file) ?? open(join(this.#folder, file));
    this.#opened.set(file, opening);
    const buffer = Buffer.alloc(bytes);
    await (await opening).read(buffer, 0, bytes, offset);
    return buffer.toString("utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#opened.values()) await (await file).close();
  }
}
