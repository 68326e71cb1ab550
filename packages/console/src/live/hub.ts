/** The streams of a browser. Tabs that watch the same thing share one: a browser has few connections to a server. */
import type { RunledgerClient } from "@runledger/client";
import { Channel, type Listener } from "./channel.js";
import type { FromHub, Subject, ToHub } from "./protocol.js";

interface Watch {
  readonly key: string;
  readonly listener: Listener;
}

/** One tab, or one worker of a tab. */
export interface HubMember {
  hear(message: ToHub): void;
  leave(): void;
}

export class Hub {
  readonly #client: RunledgerClient;
  readonly #channels = new Map<string, Channel>();

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  join(tell: (message: FromHub) => void): HubMember {
    const watches = new Map<number, Watch>();
    const leave = (id: number): void => {
      const watch = watches.get(id);
      if (watch !== undefined) this.#leave(watch);
      watches.delete(id);
    };
    return {
      hear: (message) => {
        if (message.type === "leave") leave(message.id);
        if (message.type !== "watch") return;
        const { id, subject } = message;
        watches.set(
          id,
          this.#watch(subject, (news) => tell({ ...news, id })),
        );
      },
      leave: () => {
        for (const id of watches.keys()) leave(id);
      },
    };
  }

  #watch(subject: Subject, listener: Listener): Watch {
    const key = keyOf(subject);
    const channel = this.#channels.get(key) ?? new Channel(this.#client, subject);
    this.#channels.set(key, channel);
    channel.add(listener);
    return { key, listener };
  }

  #leave({ key, listener }: Watch): void {
    const channel = this.#channels.get(key);
    channel?.remove(listener);
    if (channel === undefined || channel.isWatched) return;
    channel.close();
    this.#channels.delete(key);
  }
}

/** Where a run is followed from does not matter: who needs more reads the log. */
function keyOf(subject: Subject): string {
  return subject.kind === "run" ? `run ${subject.runId}` : `runs ${JSON.stringify(subject.query)}`;
}
