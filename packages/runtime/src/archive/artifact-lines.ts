/** Artifacts of a run as JSON lines: one line per chunk, with the bytes in base64. */
import {
  omitUndefined,
  type ArtifactChunk,
  type Artifacts,
  type NewArtifact,
  type StoredArtifact,
} from "@runledger/contracts";
import { LineBuffer } from "./line-files.js";

const ARTIFACTS = 100;
const CHUNKS = 4;

/** Yields the lines of one file after the other. Yields nothing if the run has no artifacts in the store. */
export async function* artifactLines(
  artifacts: Artifacts | undefined,
  runId: string,
): AsyncGenerator<{ readonly text: Buffer; readonly lines: number }> {
  const buffer = new LineBuffer();
  for await (const artifact of artifactsOf(artifacts, runId)) {
    if (artifact.expiredAt !== undefined) continue;
    for await (const chunk of chunksOf(artifacts, artifact)) {
      buffer.add(toLine(chunk));
      if (buffer.isFull) yield buffer.take();
    }
  }
  if (buffer.lines > 0) yield buffer.take();
}

async function* artifactsOf(artifacts: Artifacts | undefined, runId: string): AsyncGenerator<StoredArtifact> {
  for (let afterUri: string | undefined; ;) {
    const page = await artifacts?.listArtifacts({ runId, limit: ARTIFACTS, ...omitUndefined({ afterUri }) });
    yield* page ?? [];
    afterUri = page?.at(-1)?.uri;
    if (afterUri === undefined) return;
  }
}

/** The last chunk carries digest and size. An artifact whose writer was lost has neither. */
async function* chunksOf(artifacts: Artifacts | undefined, stored: StoredArtifact): AsyncGenerator<ArtifactChunk> {
  const { uri, runId, kind, stepId, attempt, sha256, sizeBytes } = stored;
  const artifact: NewArtifact = { uri, runId, kind, ...omitUndefined({ stepId, attempt }) };
  for (let chunk = 0; ;) {
    const read = await artifacts?.readChunks({ uri, afterChunk: chunk, limit: CHUNKS });
    const chunks = read?.chunks ?? [];
    const isWhole = read?.ended === true && sha256 !== undefined && sizeBytes !== undefined;
    for (const [index, bytes] of chunks.entries()) {
      const isLast = isWhole && index === chunks.length - 1;
      yield { artifact, chunk: ++chunk, bytes, ...(isLast && { whole: { sha256, sizeBytes } }) };
    }
    if (chunks.length < CHUNKS) return;
  }
}

function toLine({ bytes, ...chunk }: ArtifactChunk): string {
  return JSON.stringify({ ...chunk, bytes: Buffer.from(bytes).toString("base64") });
}

/** Reads a line that `artifactLines` wrote. */
export function fromLine(line: string): ArtifactChunk {
  const { bytes, ...chunk } = JSON.parse(line) as Omit<ArtifactChunk, "bytes"> & { readonly bytes: string };
  return { ...chunk, bytes: Buffer.from(bytes, "base64") };
}
