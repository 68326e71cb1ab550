/** Reads artifacts, even while a step is writing them. */
import { setTimeout as sleep } from "node:timers/promises";
import { InputError, type Artifacts, type LogLine } from "@runledger/contracts";

export interface ReadOptions {
  /** Defaults to 0, the start of the artifact. */
  readonly afterChunk?: number;
  /** Follows new chunks until the writer closes the artifact or `signal` is aborted. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const POLL_MS = 100;

/** Yields the artifact's chunks. Throws ARTIFACT_NOT_FOUND. */
export async function* readArtifact(
  artifacts: Artifacts,
  uri: string,
  { afterChunk = 0, follow = false, signal }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  let read = afterChunk;
  for (;;) {
    const page = await artifacts.readChunks({ uri, afterChunk: read });
    if (page === null) throw new InputError("ARTIFACT_NOT_FOUND", uri, "the artifact does not exist. Check the URI.");
    yield* page.chunks;
    read += page.chunks.length;
    const isAll = page.ended || signal?.aborted === true;
    if (isAll || (page.chunks.length === 0 && !follow)) return;
    if (page.chunks.length === 0) await sleep(POLL_MS);
  }
}

/** Yields the lines of a log artifact as they are written. */
export async function* followLog(
  artifacts: Artifacts,
  uri: string,
  options: ReadOptions = {},
): AsyncGenerator<LogLine> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of readArtifact(artifacts, uri, { follow: true, ...options })) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as LogLine;
  }
}
