/** Log lines of a run, across its steps and attempts, in pages that end where a chunk does. */
import type { Artifacts, LogLine, StoredArtifact } from "@runledger/contracts";

export interface LogQuery {
  readonly runId: string;
  readonly stepId: string | undefined;
  readonly attempt: number | undefined;
  /** The `next` of the page before: an artifact, and the last chunk of it that was read. */
  readonly after: string | undefined;
  readonly limit: number;
}

export type StepLine = LogLine & { readonly stepId?: string; readonly attempt?: number };

const ARTIFACTS_AT_ONCE = 100;

export async function readLogs(
  artifacts: Artifacts,
  query: LogQuery,
): Promise<{ readonly items: StepLine[]; readonly next: string | null }> {
  const items: StepLine[] = [];
  let place = parsePlace(query.after);
  for await (const log of logsFrom(artifacts, query, place?.uri)) {
    let chunk = log.uri === place?.uri ? place.chunk : 0;
    for await (const { lines, count } of chunksOf(artifacts, log, chunk)) {
      items.push(...lines);
      chunk += count;
      place = { uri: log.uri, chunk };
      if (items.length >= query.limit) return { items, next: `${log.uri}#${chunk}` };
    }
  }
  return { items, next: items.length === 0 || place === null ? null : `${place.uri}#${place.chunk}` };
}

function parsePlace(after: string | undefined): { uri: string; chunk: number } | null {
  const parts = /^(.+)#(\d{1,9})$/.exec(after ?? "");
  return parts === null ? null : { uri: parts[1]!, chunk: Number(parts[2]) };
}

/** The artifact that was being read, and those after it. */
async function* logsFrom(
  artifacts: Artifacts,
  { runId, stepId, attempt }: LogQuery,
  fromUri: string | undefined,
): AsyncGenerator<StoredArtifact> {
  const about = stepId === undefined ? { runId } : { runId, stepId };
  let afterUri: string | undefined;
  for (;;) {
    const page = await artifacts.listArtifacts({
      ...about,
      ...(afterUri === undefined ? {} : { afterUri }),
      limit: ARTIFACTS_AT_ONCE,
    });
    for (const artifact of page) {
      const isWanted = artifact.kind === "log" && (attempt ?? artifact.attempt) === artifact.attempt;
      if (isWanted && (fromUri === undefined || artifact.uri >= fromUri)) yield artifact;
    }
    afterUri = page.at(-1)?.uri;
    if (page.length < ARTIFACTS_AT_ONCE) return;
  }
}

/** A line may be spread over chunks: it comes with the one that ends it. */
async function* chunksOf(
  artifacts: Artifacts,
  { uri, stepId, attempt }: StoredArtifact,
  afterChunk: number,
): AsyncGenerator<{ readonly lines: StepLine[]; readonly count: number }> {
  const about = { ...(stepId === undefined ? {} : { stepId }), ...(attempt === undefined ? {} : { attempt }) };
  const decoder = new TextDecoder();
  let [rest, read, unended] = ["", afterChunk, 0];
  for (;;) {
    const page = await artifacts.readChunks({ uri, afterChunk: read });
    if (page === null || page.chunks.length === 0) return;
    for (const chunk of page.chunks) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      read += 1;
      unended += 1;
      if (rest !== "") continue;
      yield { lines: lines.map((line) => ({ ...(JSON.parse(line) as LogLine), ...about })), count: unended };
      unended = 0;
    }
  }
}
