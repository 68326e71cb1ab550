/**
 * A browser has few connections to a server, and a server bounds what one stream may carry. So there are two at most: one
 * for what was opened last, which mostly is all there is, and one for the rest, which goes in turns where even that is too
 * much. A turn goes on where the one before it ended: what waits for its turn is late, and loses nothing.
 */
import type { RunledgerClient } from "@runledger/client";
import type { AnyChannel } from "./channel.js";
import { OneStream } from "./one-stream.js";
import { shareOut } from "./share-out.js";

const TURN_MS = 5000;

export class Streams {
  readonly #newest: OneStream;
  readonly #others: OneStream;
  #turn = 0;
  /** Null = one group has the stream for itself. */
  #nextTurn: ReturnType<typeof setTimeout> | null = null;

  constructor(client: RunledgerClient, wanted: () => readonly AnyChannel[]) {
    this.#newest = new OneStream(client, () => shareOut(wanted())[0] ?? []);
    this.#others = new OneStream(client, () => this.#onesTurn(shareOut(wanted()).slice(1)));
  }

  /** Something is watched, or no longer. */
  change(): void {
    this.#newest.change();
    this.#others.change();
  }

  #onesTurn(groups: readonly (readonly AnyChannel[])[]): readonly AnyChannel[] {
    if (groups.length > 1 && this.#nextTurn === null) this.#nextTurn = setTimeout(() => this.#passOn(), TURN_MS);
    return groups[this.#turn % groups.length] ?? [];
  }

  #passOn(): void {
    this.#nextTurn = null;
    this.#turn++;
    this.#others.change();
  }
}
