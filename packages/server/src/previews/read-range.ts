/**
 * Reads a part of an artifact. Its chunks have no common size, so a reader that starts in the middle must count from the
 * nearer end. It refuses to count far, so that no request reads a large artifact.
 */
import { InputError, MAX_CHUNK_BYTES, type Artifacts, type StoredArtifact } from "@runledger/contracts";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** The greatest distance of a part from the nearer end. */
const MAX_DISTANCE = 16 * 1024 * 1024;
/** The maximum number of reads, for artifacts of many small chunks. */
const MAX_READS = 256;
const CHUNKS_PER_READ = 8;

type Place = Pick<StoredArtifact, "uri" | "sizeBytes">;

/** Returns fewer bytes if the artifact is shorter. Throws REQUEST_INVALID if the range is far from both ends. */
export async function readRange(artifacts: Artifacts, { uri, sizeBytes }: Place, range: ByteRange): Promise<Buffer> {
  const { offset, length } = range;
  if (offset + length <= MAX_DISTANCE) return fromStart(artifacts, uri, range);
  if (sizeBytes === undefined || sizeBytes - offset > MAX_DISTANCE) throw tooFar();
  return fromEnd(artifacts, { uri, sizeBytes }, range);
}

async function fromStart(artifacts: Artifacts, uri: string, { offset, length }: ByteRange): Promise<Buffer> {
  const found: Uint8Array[] = [];
  let [read, at] = [0, 0];
  for (let reads = 0; at < offset + length; reads++) {
    if (reads === MAX_READS) throw tooFar();
    const page = await artifacts.readChunks({ uri, afterChunk: read, limit: reads === 0 ? 1 : CHUNKS_PER_READ });
    const chunks = page?.chunks ?? [];
    for (const bytes of chunks) {
      if (at + bytes.length > offset) found.push(bytes.subarray(Math.max(0, offset - at), offset + length - at));
      at += bytes.length;
      if (at >= offset + length) break;
    }
    read += chunks.length;
    if (page?.ended !== false || chunks.length === 0) break;
  }
  return Buffer.concat(found);
}

async function fromEnd(
  artifacts: Artifacts,
  { uri, sizeBytes }: Required<Place>,
  { offset, length }: ByteRange,
): Promise<Buffer> {
  const found: Uint8Array[] = [];
  let at = sizeBytes;
  let last = await countChunks(artifacts, { uri, sizeBytes });
  for (let reads = 0; at > offset && last > 0; reads++) {
    if (reads === MAX_READS) throw tooFar();
    const limit = Math.min(CHUNKS_PER_READ, last);
    const page = await artifacts.readChunks({ uri, afterChunk: last - limit, limit });
    for (const bytes of (page?.chunks ?? []).toReversed()) {
      at -= bytes.length;
      if (at < offset + length)
        found.unshift(bytes.subarray(Math.max(0, offset - at), Math.max(0, offset + length - at)));
      if (at <= offset) break;
    }
    last -= limit;
  }
  return Buffer.concat(found);
}

/** Finds the last chunk with few reads of one chunk each. Most writers use one size, so the first guess is often right. */
async function countChunks(artifacts: Artifacts, { uri, sizeBytes }: Required<Place>): Promise<number> {
  const chunkAt = async (number: number) => artifacts.readChunks({ uri, afterChunk: number - 1, limit: 1 });
  const first = await chunkAt(1);
  const size = first?.chunks[0]?.length ?? MAX_CHUNK_BYTES;
  let [known, missing] = [0, Infinity];
  let guess = Math.max(1, Math.ceil(sizeBytes / Math.max(1, size)));
  for (;;) {
    const page = await chunkAt(guess);
    const exists = page !== null && page.chunks.length > 0;
    if (exists && page.ended) return guess;
    if (exists) known = guess;
    else missing = guess;
    if (missing - known <= 1) return known;
    guess = missing === Infinity ? known * 2 : Math.floor((known + missing) / 2);
  }
}

function tooFar(): InputError {
  return new InputError(
    "REQUEST_INVALID",
    "query.offset",
    "is too far from both ends of the artifact. Download the artifact to read its middle.",
  );
}
