/** The newest runs of one list, and everybody who watches it. */
import { randomUUID } from "node:crypto";
import type { RunFilter, RunSummary } from "@runledger/contracts";
import type { RunLists } from "../runs/run-lists.js";
import { ListMessage } from "./list-message.js";
import type { SseConnection } from "./sse-connection.js";

/** More than a screen shows. Older runs are read page by page. */
const NEWEST = 100;
/** How many updates a reader may have missed before it gets the whole list again. */
const REMEMBERED = 100;

export interface ListReader {
  /** What it said it had; null = nothing. */
  readonly after: string | null;
  /** Its name for the list, where its stream is of several; null = the stream is of this one. */
  readonly list: string | null;
}

interface Reader extends ListReader {
  readonly connection: SseConnection;
  /** `new`: it waits for the first look. `slow`: it is told nothing until there is room. */
  state: "new" | "live" | "slow";
}

export class ListChannel {
  readonly #lists: RunLists;
  readonly #filter: RunFilter;
  readonly #readers = new Set<Reader>();
  /** Ids are of no use to another process, or to this one after it had forgotten the channel. */
  readonly #life = randomUUID();
  readonly #updates: { readonly number: number; readonly message: ListMessage }[] = [];
  #number = 0;
  #runs: readonly RunSummary[] = [];
  #looking: Promise<void> | null = null;

  constructor(lists: RunLists, filter: RunFilter) {
    this.#lists = lists;
    this.#filter = filter;
  }

  get size(): number {
    return this.#readers.size;
  }

  /** Gives the way to leave. */
  add(connection: SseConnection, place: ListReader): () => void {
    const reader: Reader = { ...place, connection, state: "new" };
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  look(): Promise<void> {
    this.#looking ??= this.#readList().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #readList(): Promise<void> {
    const { runs } = await this.#lists.listRuns({ ...this.#filter, limit: NEWEST });
    const changed = changedRuns(this.#runs, runs);
    const gone = goneRuns(this.#runs, runs);
    this.#runs = runs;
    if (changed.length + gone.length > 0) this.#announce({ runs: changed, gone });
    for (const reader of this.#readers) if (reader.state === "new") this.#greet(reader);
  }

  #announce(update: { readonly runs: readonly RunSummary[]; readonly gone: readonly string[] }): void {
    const number = ++this.#number;
    const message = new ListMessage({ place: `${this.#life}.${number}`, type: "change", data: update });
    this.#updates.push({ number, message });
    if (this.#updates.length > REMEMBERED) this.#updates.shift();
    for (const reader of this.#readers) if (reader.state === "live") this.#send(reader, message);
  }

  #send(reader: Reader, message: ListMessage): void {
    reader.connection.send(message.for(reader.list));
    if (!reader.connection.isCrowded) return;
    reader.state = "slow";
    const number = this.#number;
    void reader.connection.room().then(() => {
      if (number === this.#number) reader.state = "live";
      else this.#sendList(reader); // it has missed something
    });
  }

  /** What it has missed, if that is still known; else the list as it is. */
  #greet(reader: Reader): void {
    const [life, number] = reader.after?.split(".") ?? [];
    const missed = this.#updates.filter((update) => update.number > Number(number));
    const isKnown = life === this.#life && missed.length === this.#number - Number(number);
    reader.state = "live";
    if (!isKnown) return this.#sendList(reader);
    for (const { message } of missed) reader.connection.send(message.for(reader.list));
  }

  #sendList(reader: Reader): void {
    reader.state = "live";
    const place = `${this.#life}.${this.#number}`;
    const list = new ListMessage({ place, type: "snapshot", data: { runs: this.#runs } });
    reader.connection.send(list.for(reader.list));
  }
}

/** Those that are new or look different, oldest first: that is how they happened. */
function changedRuns(before: readonly RunSummary[], now: readonly RunSummary[]): RunSummary[] {
  const known = new Map(before.map((run) => [run.runId, JSON.stringify(run)]));
  return now.filter((run) => known.get(run.runId) !== JSON.stringify(run)).reverse();
}

/** Those that no longer belong to the list. What only moved behind its end still does. */
function goneRuns(before: readonly RunSummary[], now: readonly RunSummary[]): string[] {
  const present = new Set(now.map(({ runId }) => runId));
  const end = now.length < NEWEST ? "" : now.at(-1)!.createdAt;
  return before.filter(({ runId, createdAt }) => !present.has(runId) && createdAt > end).map(({ runId }) => runId);
}
