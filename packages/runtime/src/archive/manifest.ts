/**
 * Describes the files of one run. A run is in the archive once its manifest is: the manifest is written last. Its own
 * checksum covers everything in it.
 */
import { hash } from "node:crypto";
import { InputError, StopError } from "@runledger/contracts";
import { z } from "zod";
import type { ArchivePlace } from "./archive-place.js";
import { damaged } from "./damaged.js";

export const ARCHIVE_FORMAT = 1;
const MANIFESTS = "manifests/";
const TOGETHER = 20;
const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A compressed file of JSON lines. `sha256` and `bytes` are those of the compressed file. */
const archiveFile = z.object({
  file: z.string().regex(/^[a-z]+-\d{6}-[0-9a-f]{16}\.jsonl\.gz$/),
  lines: count,
  textBytes: count,
  bytes: count,
  sha256,
});

/** A file of events, with the first and the last seq in it. */
const eventsFile = archiveFile.extend({ firstSeq: count, lastSeq: count });

const manifest = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  runId: z.string(),
  tenantId: z.string(),
  /** Number of events, and the last seq: an archived run has no gap. */
  events: count,
  /** Hash chain over the lines of all events, as `store export` computes it. */
  checksum: sha256,
  eventFiles: z.array(eventsFile).readonly(),
  artifactFiles: z.array(archiveFile).readonly(),
});

export type ArchiveFile = Readonly<z.infer<typeof archiveFile>>;
export type EventsFile = Readonly<z.infer<typeof eventsFile>>;
export type Manifest = Readonly<z.infer<typeof manifest>>;

/** Names a run in keys. Ids may differ in case only and have any characters, so the name ends with a hash. */
function nameOf(runId: string): string {
  const digest = hash("sha256", runId, "hex").slice(0, 16);
  return `${digest.slice(0, 2)}/${runId.replaceAll(/[^\w.-]/g, "_").slice(0, 80)}-${digest}`;
}

export const manifestKey = (runId: string): string => `${MANIFESTS}${nameOf(runId)}.json`;
export const dataKey = (runId: string, file: string): string => `data/${nameOf(runId)}/${file}`;

export function newManifest(fields: Omit<Manifest, "format">): Manifest {
  return { format: ARCHIVE_FORMAT, ...fields };
}

export function manifestText(fields: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify({ ...fields, sha256: hash("sha256", JSON.stringify(fields), "hex") })}\n`);
}

/** Returns `null` if the archive does not have the run. */
export async function readManifest(place: ArchivePlace, runId: string): Promise<Manifest | null> {
  const key = manifestKey(runId);
  const data = await place.read(key);
  return data === null ? null : parseManifest(place, key, data);
}

/** Reads the manifests of all runs, several at once. Yields the error of a damaged one in its place. */
export async function* readManifests(place: ArchivePlace): AsyncGenerator<Manifest | StopError> {
  let keys: string[] = [];
  for await (const key of place.list(MANIFESTS)) {
    if (keys.push(key) < TOGETHER) continue;
    yield* await readTogether(place, keys);
    keys = [];
  }
  yield* await readTogether(place, keys);
}

function readTogether(place: ArchivePlace, keys: readonly string[]): Promise<(Manifest | StopError)[]> {
  return Promise.all(keys.map((key) => readListed(place, key)));
}

async function readListed(place: ArchivePlace, key: string): Promise<Manifest | StopError> {
  const data = await place.read(key);
  try {
    return parseManifest(place, key, data ?? Buffer.alloc(0));
  } catch (error) {
    if (error instanceof StopError) return error;
    throw error;
  }
}

function parseManifest(place: ArchivePlace, key: string, data: Buffer): Manifest {
  const { sha256: expected, ...fields } = parseObject(place, key, data);
  if (expected !== hash("sha256", JSON.stringify(fields), "hex")) throw damaged(place, key, "its checksum differs");
  if (fields["format"] !== ARCHIVE_FORMAT) throw unknownFormat(place, key, fields["format"]);
  const { data: read, success } = manifest.safeParse(fields);
  if (!success || manifestKey(read.runId) !== key) throw damaged(place, key, "it is not the manifest of this run");
  return read;
}

function parseObject(place: ArchivePlace, key: string, data: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(data.toString("utf8"));
    if (typeof parsed === "object" && parsed !== null) return { ...parsed };
  } catch {
    // reported below
  }
  throw damaged(place, key, "it is not a JSON object");
}

function unknownFormat(place: ArchivePlace, key: string, format: unknown): InputError {
  const message = `${place.name}/${key} has format ${String(format)}. This version reads format ${ARCHIVE_FORMAT}. Install a later version.`;
  return new InputError("OPTION_INVALID", "archive", message);
}
