/** Log lines of a run, across its steps and attempts, in pages that end where a chunk does. */
import { STORE_SCHEME, type Artifacts, type LogLine, type StoredArtifact } from "@runledger/contracts";
import { settled, type LogPlace, type LogPosition } from "./log-place.js";

export interface LogQuery {
  readonly runId: string;
  readonly stepId: string | undefined;
  readonly attempt: number | undefined;
}

export type StepLine = LogLine & { readonly stepId?: string; readonly attempt?: number };

const LOGS_AT_ONCE = 100;
const CHUNKS_AT_ONCE = 4;
/** However long its lines are, an answer stays small. */
const MOST_BYTES = 512 * 1024;

/** What a page has, and how much fits. */
class Page {
  readonly items: StepLine[] = [];
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.items.length >= this.#limit || this.#bytes >= MOST_BYTES;
  }

  add(lines: readonly string[], about: Pick<StepLine, "stepId" | "attempt">): void {
    for (const line of lines) {
      this.#bytes += line.length;
      this.items.push({ ...(JSON.parse(line) as LogLine), ...about });
    }
  }
}

/** What was added behind a place: to the logs that were open there, and to those that were begun since. */
export async function readLogs(
  artifacts: Artifacts,
  query: LogQuery,
  { place, limit }: { readonly place: LogPlace; readonly limit: number },
): Promise<{ readonly items: readonly StepLine[]; readonly place: LogPlace }> {
  const known = new Map(place.known);
  const page = new Page(limit);
  for await (const log of logsBehind(artifacts, query, place)) {
    if (page.isFull) break;
    known.set(log.uri, await readLog(artifacts, log, known.get(log.uri)?.chunks ?? 0, page));
  }
  if (page.items.length === 0 && known.size === place.known.size) return { items: [], place };
  return { items: page.items, place: settled({ floor: place.floor, known }, Date.now()) };
}

/** Those that may have more, oldest first. */
async function* logsBehind(artifacts: Artifacts, query: LogQuery, place: LogPlace): AsyncGenerator<StoredArtifact> {
  const open = [...place.known].filter(([uri, { ended }]) => !ended && uri <= place.floor);
  const from = open.map(([uri]) => uri).toSorted()[0];
  let afterUri = from === undefined ? place.floor : from.slice(0, -1);
  const { runId, stepId, attempt } = query;
  const about = { runId, ...(stepId === undefined ? {} : { stepId }), limit: LOGS_AT_ONCE };
  for (;;) {
    const page = await artifacts.listArtifacts({ ...about, ...(afterUri === STORE_SCHEME ? {} : { afterUri }) });
    for (const artifact of page) {
      const isWanted = artifact.kind === "log" && (attempt ?? artifact.attempt) === artifact.attempt;
      const position = place.known.get(artifact.uri);
      const mayHaveMore = position === undefined ? artifact.uri > place.floor : !position.ended;
      if (isWanted && mayHaveMore) yield artifact;
    }
    if (page.length < LOGS_AT_ONCE) return;
    afterUri = page.at(-1)!.uri;
  }
}

/** A line may be spread over chunks: it comes with the one that ends it. */
async function readLog(
  artifacts: Artifacts,
  { uri, stepId, attempt }: StoredArtifact,
  afterChunk: number,
  to: Page,
): Promise<LogPosition> {
  const about = { ...(stepId === undefined ? {} : { stepId }), ...(attempt === undefined ? {} : { attempt }) };
  const decoder = new TextDecoder();
  let [rest, read, whole] = ["", afterChunk, afterChunk];
  for (;;) {
    const page = await artifacts.readChunks({ uri, afterChunk: read, limit: CHUNKS_AT_ONCE });
    for (const chunk of page?.chunks ?? []) {
      rest += decoder.decode(chunk, { stream: true });
      read += 1;
      if (!rest.endsWith("\n")) continue;
      to.add(rest.split("\n").slice(0, -1), about);
      [rest, whole] = ["", read];
      if (to.isFull) return { chunks: whole, ended: false };
    }
    const isAll = page === null || page.ended;
    if (isAll || page.chunks.length === 0) return { chunks: whole, ended: isAll };
  }
}
