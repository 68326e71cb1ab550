/** Appends events to a Redis stream. The events of a run are appended one message after the other, so they stay in order. */
import type { RedisClientType } from "redis";
import { BrokerConnection, loadClient } from "../broker-connection.js";
import { destinationOf } from "../broker-settings.js";
import type { CloudEvent } from "../cloud-event.js";
import type { BusFactory, BusMessage, EventBus } from "../event-bus.js";

export interface RedisBusOptions {
  /** Such as `redis://user:password@redis-1:6379` or `rediss://…`. */
  readonly url: string;
  /** Keys of the streams that subscriptions may name in the setting `stream`. The first one is the default. */
  readonly streams: readonly string[];
  /** Redis removes the oldest events above about this number. By default a stream keeps everything. */
  readonly maxLength?: number;
  /** Larger events are refused. Default 512 MB, like `proto-max-bulk-len` of Redis, which cuts connections above it. */
  readonly maxEventBytes?: number;
  /** More options of the client of `redis`, such as `socket`. */
  readonly client?: Readonly<Record<string, unknown>>;
}

const BATCH = 100;
const MAX_EVENT_BYTES = 512 * 1024 * 1024;

/** Returns a bus for `ledger.outbox({ buses: { redis: redisBus({ url, streams }) } })`. Needs `redis`. */
export function redisBus(options: RedisBusOptions): BusFactory {
  const connection = new BrokerConnection<RedisClientType>({
    connect: () => connectTo(options),
    close: async (client) => client.destroy(),
  });
  return {
    open: (settings) => {
      const stream = destinationOf(settings, "stream", options.streams);
      connection.acquire();
      return new RedisBus(connection, stream, options);
    },
    check: (settings) => void destinationOf(settings, "stream", options.streams),
  };
}

class RedisBus implements EventBus {
  readonly batchSize = BATCH;
  readonly #connection: BrokerConnection<RedisClientType>;
  readonly #stream: string;
  readonly #maxEventBytes: number;
  readonly #trim: object;

  constructor(connection: BrokerConnection<RedisClientType>, stream: string, options: RedisBusOptions) {
    const { maxLength, maxEventBytes = MAX_EVENT_BYTES } = options;
    this.#connection = connection;
    this.#stream = stream;
    this.#maxEventBytes = maxEventBytes;
    const trim = { strategy: "MAXLEN", strategyModifier: "~", threshold: maxLength };
    this.#trim = maxLength === undefined ? {} : { TRIM: trim };
  }

  /** The events of a message are appended together or not at all. */
  async publish({ events }: BusMessage): Promise<void> {
    const entries = events.map((event) => this.#fieldsOf(event));
    await this.#connection.use(
      (client) => {
        const transaction = client.multi();
        for (const entry of entries) transaction.xAdd(this.#stream, "*", entry, this.#trim);
        return transaction.exec();
      },
      () => undefined, // no answer of Redis concerns the event
    );
  }

  close(): Promise<void> {
    return this.#connection.release();
  }

  #fieldsOf(event: CloudEvent): Record<string, string> {
    const { id, type, partitionkey } = event;
    const text = JSON.stringify(event);
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#maxEventBytes)
      throw new Error(`The event has ${bytes} bytes. Redis accepts ${this.#maxEventBytes}: raise proto-max-bulk-len.`);
    return { id, type, partitionkey, event: text };
  }
}

async function connectTo({ url, client: more }: RedisBusOptions): Promise<RedisClientType> {
  const { createClient } = await loadClient("redis", () => import("redis"));
  const socket = { connectTimeout: 5000, reconnectStrategy: false as const }; // the bus connects again by itself
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
