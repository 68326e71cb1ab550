/** What the tabs of a browser watch. All of it comes through one stream, or two where it is too much for one. */
import type { RunledgerClient } from "@runledger/client";
import { ListChannel, RunChannel, type AnyChannel, type Listener } from "./channel.js";
import type { FromHub, Subject, ToHub } from "./protocol.js";
import { Streams } from "./streams.js";

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
  readonly #channels = new Map<string, AnyChannel>();
  readonly #streams: Streams;

  constructor(client: RunledgerClient) {
    this.#streams = new Streams(client, () => [...this.#channels.values()]);
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
    const channel = this.#channels.get(key) ?? channelOf(subject);
    this.#channels.set(key, channel);
    channel.add(listener);
    this.#streams.change();
    return { key, listener };
  }

  #leave({ key, listener }: Watch): void {
    const channel = this.#channels.get(key);
    channel?.remove(listener);
    if (channel === undefined || channel.isWatched) return;
    this.#channels.delete(key);
    this.#streams.change();
  }
}

function channelOf(subject: Subject): AnyChannel {
  return subject.kind === "run" ? new RunChannel(subject.runId, subject.after) : new ListChannel(subject.query);
}

/** Where a run is followed from does not matter: who needs more reads the log. */
function keyOf(subject: Subject): string {
  return subject.kind === "run" ? `run ${subject.runId}` : `runs ${JSON.stringify(subject.query)}`;
}
