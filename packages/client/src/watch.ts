/** Several runs and lists in one stream: what is asked for, what is told, and how far each has come. */
import type {
  CaughtUp,
  RefusedRun,
  RunEnded,
  RunEvent,
  WatchedListChange,
  WatchedListSnapshot,
  WatchRequest,
} from "./api-types.js";
import { toFilter, type StreamListQuery } from "./run-queries.js";

export interface WatchedList {
  /** Absent = all runs. */
  readonly filter?: StreamListQuery;
  /** The `place` of its last message; absent = it begins with a snapshot. */
  readonly after?: string;
}

export interface Watched {
  /** Each with the seq behind which its events begin; 0 = all of them. */
  readonly runs?: Readonly<Record<string, number>>;
  /** Each under a name of the caller's, which its messages carry. */
  readonly lists?: Readonly<Record<string, WatchedList>>;
  /** False = events without what a user's code gave or got. */
  readonly payloads?: boolean;
}

/** `refused`: this run cannot be watched, the others are. `snapshot` and `change` are those of a list. */
export type WatchMessage =
  | { readonly type: "event"; readonly event: RunEvent }
  | ({ readonly type: "caught-up" } & CaughtUp)
  | ({ readonly type: "ended" } & RunEnded)
  | ({ readonly type: "refused" } & RefusedRun)
  | ({ readonly type: "snapshot" | "change" } & WatchedListChange);

/** Null = a newer server says what is not known here. */
export function readMessage(name: string, data: string): WatchMessage | null {
  const parsed: unknown = JSON.parse(data);
  if (name === "message") return { type: "event", event: parsed as RunEvent };
  if (name === "caught-up") return { type: name, ...(parsed as CaughtUp) };
  if (name === "ended") return { type: name, ...(parsed as RunEnded) };
  if (name === "refused") return { type: name, ...(parsed as RefusedRun) };
  if (name === "snapshot") return { type: name, gone: [], ...(parsed as WatchedListSnapshot) };
  if (name === "change") return { type: name, ...(parsed as WatchedListChange) };
  return null;
}

/** Where a stream goes on when its connection was lost. */
export class WatchPlaces {
  readonly #watched: Watched;
  readonly #seqs: Map<string, number>;
  readonly #places = new Map<string, string>();

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#seqs = new Map(Object.entries(watched.runs ?? {}));
  }

  pass(message: WatchMessage): void {
    if (message.type === "event") this.#seqs.set(message.event.runId, message.event.runSeq);
    if (message.type === "snapshot" || message.type === "change") this.#places.set(message.list, message.place);
  }

  request(): WatchRequest {
    const { lists = {}, payloads } = this.#watched;
    const asked = Object.entries(lists).map(([list, { filter = {}, ...first }]) => {
      const after = this.#places.get(list) ?? first.after;
      return [list, { filter: toFilter(filter), ...(after !== undefined && { after }) }] as const;
    });
    return {
      runs: Object.fromEntries(this.#seqs),
      lists: Object.fromEntries(asked),
      ...(payloads !== undefined && { payloads }),
    };
  }
}
