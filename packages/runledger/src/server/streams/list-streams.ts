/**
 * Streams of the run list. Everybody who asks for the same runs shares one channel, which looks at the newest of them
 * and sends what is new or has changed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RunFilter } from "@runledger/contracts";
import type { RunLists } from "../runs/run-lists.js";
import { ListChannel, type ListReader } from "./list-channel.js";
import type { SseConnection } from "./sse-connection.js";

export interface ListStreamOptions {
  /** How often each list is looked at while anybody watches it. Default 500 ms. */
  readonly listPollMs?: number;
  readonly onError?: (error: unknown) => void;
}

export class ListStreams {
  readonly #lists: RunLists;
  readonly #options: Required<ListStreamOptions>;
  readonly #channels = new Map<string, ListChannel>();
  #following = false;

  constructor(lists: RunLists, { listPollMs = 500, onError = () => {} }: ListStreamOptions = {}) {
    this.#lists = lists;
    this.#options = { listPollMs, onError };
  }

  watch({ filter, ...place }: ListReader & { readonly filter: RunFilter }, to: SseConnection): void {
    const key = JSON.stringify(Object.entries(filter).sort(([one], [other]) => (one < other ? -1 : 1)));
    const channel = this.#channels.get(key) ?? new ListChannel(this.#lists, filter);
    this.#channels.set(key, channel);
    const leave = channel.add(to, place);
    to.onClose(() => {
      leave();
      if (channel.size === 0 && this.#channels.get(key) === channel) this.#channels.delete(key);
    });
    if (this.#following)
      channel.look().catch(this.#options.onError); // who comes later does not wait for the next look
    else void this.#follow();
  }

  /** Follows no more. */
  close(): void {
    this.#channels.clear();
  }

  async #follow(): Promise<void> {
    this.#following = true;
    while (this.#channels.size > 0) {
      const looks = [...this.#channels.values()].map((channel) => channel.look().catch(this.#options.onError));
      await Promise.all(looks);
      await sleep(this.#options.listPollMs);
    }
    this.#following = false;
  }
}
