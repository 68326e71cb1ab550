/** Artifacts as whoever looks at a run reads them, also while they are being written. */
import { setTimeout as sleep } from "node:timers/promises";
import { InputError, type Artifacts, type LogLine } from "@runledger/contracts";

export interface ReadOptions {
  /** Default 0: from the beginning. */
  readonly afterChunk?: number;
  /** True = goes on with what is written meanwhile, until its writer has ended it or `signal` is aborted. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const POLL_MS = 100;

/** The artifact's chunks. Throws ARTIFACT_NOT_FOUND. */
export async function* readArtifact(
  artifacts: Artifacts,
  uri: string,
  { afterChunk = 0, follow = false, signal }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  let read = afterChunk;
  for (;;) {
    const page = await artifacts.readChunks({ uri, afterChunk: read });
    if (page === null) throw new InputError("ARTIFACT_NOT_FOUND", uri, "there is no such artifact; check the address.");
    yield* page.chunks;
    read += page.chunks.length;
    const isAll = page.ended || signal?.aborted === true;
    if (isAll || (page.chunks.length === 0 && !follow)) return;
    if (page.chunks.length === 0) await sleep(POLL_MS);
  }
}

/** The lines of a log artifact as they come. */
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
