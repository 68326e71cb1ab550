/** Reads log lines of a run across its steps and attempts. A page contains whole chunks. */
import { omitUndefined, STORE_SCHEME, type Artifacts, type LogLine, type StoredArtifact } from "@runledger/contracts";
import { compactCursor, type LogCursor, type LogPosition } from "./log-cursor.js";

export interface LogQuery {
  readonly runId: string;
  readonly stepId: string | undefined;
  readonly attempt: number | undefined;
}

export type StepLine = LogLine & { readonly stepId?: string; readonly attempt?: number };

const LOGS_PER_QUERY = 100;
const CHUNKS_PER_QUERY = 4;
/** Limits a page with long lines. */
const MAX_PAGE_BYTES = 512 * 1024;

/** Collects lines until the page is full. */
class Page {
  readonly items: StepLine[] = [];
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.items.length >= this.#limit || this.#bytes >= MAX_PAGE_BYTES;
  }

  add(lines: readonly string[], source: Pick<StepLine, "stepId" | "attempt">): void {
    for (const line of lines) {
      this.#bytes += line.length;
      this.items.push({ ...(JSON.parse(line) as LogLine), ...source });
    }
  }
}

/** Returns lines after the cursor: of logs that were incomplete there, and of newer logs. */
export async function readLogs(
  artifacts: Artifacts,
  query: LogQuery,
  { cursor, limit }: { readonly cursor: LogCursor; readonly limit: number },
): Promise<{ readonly items: readonly StepLine[]; readonly cursor: LogCursor }> {
  const positions = new Map(cursor.positions);
  const page = new Page(limit);
  for await (const log of unreadLogs(artifacts, query, cursor)) {
    if (page.isFull) break;
    positions.set(log.uri, await readLog(artifacts, log, positions.get(log.uri)?.chunks ?? 0, page));
  }
  if (page.items.length === 0 && positions.size === cursor.positions.size) return { items: [], cursor };
  return { items: page.items, cursor: compactCursor({ floor: cursor.floor, positions }, Date.now()) };
}

/** Yields logs that may have unread lines, oldest first. */
async function* unreadLogs(artifacts: Artifacts, query: LogQuery, cursor: LogCursor): AsyncGenerator<StoredArtifact> {
  const incomplete = [...cursor.positions].filter(([uri, { ended }]) => !ended && uri <= cursor.floor);
  const oldest = incomplete.map(([uri]) => uri).toSorted()[0];
  let afterUri = oldest === undefined ? cursor.floor : oldest.slice(0, -1);
  const { runId, stepId, attempt } = query;
  const filter = { runId, ...omitUndefined({ stepId }), limit: LOGS_PER_QUERY };
  for (;;) {
    const page = await artifacts.listArtifacts({ ...filter, ...(afterUri === STORE_SCHEME ? {} : { afterUri }) });
    for (const artifact of page) {
      const isMatch = artifact.kind === "log" && (attempt ?? artifact.attempt) === artifact.attempt;
      const position = cursor.positions.get(artifact.uri);
      const mayHaveMore = position === undefined ? artifact.uri > cursor.floor : !position.ended;
      if (isMatch && mayHaveMore) yield artifact;
    }
    if (page.length < LOGS_PER_QUERY) return;
    afterUri = page.at(-1)!.uri;
  }
}

function expiredLine(at: string): LogLine {
  return { at, from: "log", text: "This log expired, and a retention policy has deleted its lines." };
}

/** A line that spans several chunks is returned with its last chunk. */
async function readLog(
  artifacts: Artifacts,
  { uri, stepId, attempt, expiredAt }: StoredArtifact,
  afterChunk: number,
  to: Page,
): Promise<LogPosition> {
  const source = omitUndefined({ stepId, attempt });
  if (expiredAt !== undefined) {
    to.add([JSON.stringify(expiredLine(expiredAt))], source);
    return { chunks: afterChunk, ended: true };
  }
  const decoder = new TextDecoder();
  let [rest, read, whole] = ["", afterChunk, afterChunk];
  for (;;) {
    const page = await artifacts.readChunks({ uri, afterChunk: read, limit: CHUNKS_PER_QUERY });
    for (const chunk of page?.chunks ?? []) {
      rest += decoder.decode(chunk, { stream: true });
      read += 1;
      if (!rest.endsWith("\n")) continue;
      to.add(rest.split("\n").slice(0, -1), source);
      [rest, whole] = ["", read];
      if (to.isFull) return { chunks: whole, ended: false };
    }
    const isComplete = page === null || page.ended;
    if (isComplete || page.chunks.length === 0) return { chunks: whole, ended: isComplete };
  }
}
