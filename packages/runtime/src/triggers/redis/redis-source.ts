/** Reads a Redis stream as a consumer group. An entry is acknowledged after its run is stored. */
import type { RedisClientType } from "redis";
import { newId } from "@runledger/contracts";
import { loadClient } from "../../outbox/broker-connection.js";
import { placeOf, type ConsumeParams, type SourceFactory, type SourceMessage } from "../event-source.js";

export interface RedisSourceOptions {
  /** Such as `redis://user:password@redis-1:6379` or `rediss://…`. */
  readonly url: string;
  /** Keys of the streams that triggers may name in the setting `stream`. The first one is the default. */
  readonly streams: readonly string[];
  /** An entry that was not acknowledged is delivered again after this time. Default 30 seconds. */
  readonly redeliverAfterMs?: number;
  /** More options of the client of `redis`, such as `socket`. */
  readonly client?: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly id: string;
  readonly message: Readonly<Record<string, string>>;
}

const BATCH = 20;
const WAIT_MS = 1000;

/** Returns a source for `ledger.consumers({ sources: { redis: redisSource({ url, streams }) } })`. Needs `redis`. */
export function redisSource(options: RedisSourceOptions): SourceFactory {
  return {
    open: (settings, { group }) => {
      const stream = placeOf(settings, "stream", options.streams);
      return { consume: (params) => new RedisReader(options, stream, group).consume(params) };
    },
    check: (settings) => void placeOf(settings, "stream", options.streams),
  };
}

class RedisReader {
  readonly #options: RedisSourceOptions;
  readonly #stream: string;
  readonly #group: string;
  readonly #name = newId("consumer");

  constructor(options: RedisSourceOptions, stream: string, group: string) {
    this.#options = options;
    this.#stream = stream;
    this.#group = group;
  }

  async consume({ handle, onReady, signal }: ConsumeParams): Promise<void> {
    const client = await connectTo(this.#options);
    try {
      await this.#createGroup(client);
      onReady();
      while (!signal.aborted) {
        for (const entry of await this.#next(client)) {
          if (signal.aborted) break;
          await handle(toMessage(entry, this.#stream));
          await client.xAck(this.#stream, this.#group, entry.id);
        }
      }
      await this.#leave(client);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      client.destroy();
    }
  }

  async #createGroup(client: RedisClientType): Promise<void> {
    await client.xGroupCreate(this.#stream, this.#group, "0", { MKSTREAM: true }).catch((error: unknown) => {
      if (!String(error).includes("BUSYGROUP")) throw error; // it exists
    });
  }

  /** Entries that a lost consumer has left come first. */
  async #next(client: RedisClientType): Promise<readonly Entry[]> {
    const { redeliverAfterMs = 30_000 } = this.#options;
    const claimed = await client.xAutoClaim(this.#stream, this.#group, this.#name, redeliverAfterMs, "0-0", {
      COUNT: BATCH,
    });
    const left = claimed.messages.filter((entry) => entry !== null);
    if (left.length > 0) return left;
    const place = { key: this.#stream, id: ">" };
    const read = await client.xReadGroup(this.#group, this.#name, place, { COUNT: BATCH, BLOCK: WAIT_MS });
    return (read as readonly { readonly messages: readonly Entry[] }[] | null)?.[0]?.messages ?? [];
  }

  /** Removes this consumer from the group, unless it has entries that another one must handle. */
  async #leave(client: RedisClientType): Promise<void> {
    const consumers = await client.xInfoConsumers(this.#stream, this.#group);
    const own = consumers.find(({ name }) => name === this.#name);
    if (own?.pending === 0) await client.xGroupDelConsumer(this.#stream, this.#group, this.#name);
  }
}

async function connectTo({ url, client: more }: RedisSourceOptions): Promise<RedisClientType> {
  const { createClient } = await loadClient("redis", () => import("redis"));
  const socket = { connectTimeout: 5000, reconnectStrategy: false as const }; // the consumer of the trigger connects again
  const client = createClient({
    disableOfflineQueue: true,
    ...more,
    url,
    socket: { ...socket, ...(more?.["socket"] as object) },
  });
  client.on("error", () => {}); // commands report it
  await client.connect();
  return client;
}

/** The field `event` has the event as JSON. Without it, the fields are the data. */
function toMessage({ id, message }: Entry, stream: string): SourceMessage {
  const body = message["event"] ?? JSON.stringify(message);
  return { headers: {}, body, id, position: `${stream}@${id}`, storedAt: Number(id.split("-")[0]) };
}
