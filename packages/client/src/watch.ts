/** Watches several runs and lists through one stream. */
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
  /** Default: all runs. */
  readonly filter?: StreamListQuery;
  /** The `place` of the last message. Without it, the list starts with a snapshot. */
  readonly after?: string;
}

export interface Watched {
  /** Run ids, each with the seq after which its events start. 0 returns all events. */
  readonly runs?: Readonly<Record<string, number>>;
  /** Lists by a name that the caller chooses. Messages carry this name. */
  readonly lists?: Readonly<Record<string, WatchedList>>;
  /** `false` leaves inputs, outputs and other user data out of events. Default: true. */
  readonly payloads?: boolean;
}

/** `refused`: this run cannot be watched; the others still are. `snapshot` and `change` belong to a list. */
export type WatchMessage =
  | { readonly type: "event"; readonly event: RunEvent }
  | ({ readonly type: "caught-up" } & CaughtUp)
  | ({ readonly type: "ended" } & RunEnded)
  | ({ readonly type: "refused" } & RefusedRun)
  | ({ readonly type: "snapshot" | "change" } & WatchedListChange);

/** Returns `null` for a message type that only a newer server knows. */
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

/** Remembers where each run and list resumes after a lost connection. */
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
    const requested = Object.entries(lists).map(([list, { filter = {}, ...first }]) => {
      const after = this.#places.get(list) ?? first.after;
      return [list, { filter: toFilter(filter), ...(after !== undefined && { after }) }] as const;
    });
    return {
      runs: Object.fromEntries(this.#seqs),
      lists: Object.fromEntries(requested),
      ...(payloads !== undefined && { payloads }),
    };
  }
}
