/** Publishes events to Kafka with the run as key, so that the events of a run stay in one partition. */
import type { Producer } from "@platformatic/kafka";
import { BrokerConnection, loadClient } from "../broker-connection.js";
import { destinationOf } from "../broker-settings.js";
import type { BusFactory, BusMessage, EventBus } from "../event-bus.js";
import { chunksOf } from "./chunks.js";

export interface KafkaBusOptions {
  /** Addresses of brokers, such as `kafka-1:9092`. */
  readonly brokers: readonly string[];
  /** The topics that subscriptions may name in the setting `topic`. The first one is the default. */
  readonly topics: readonly string[];
  /** More options of the producer of `@platformatic/kafka`, such as `tls` and `sasl`. */
  readonly client?: Readonly<Record<string, unknown>>;
}

type TextProducer = Producer<string, string, string, string>;

const BATCH = 100;
/** Below the default of `message.max.bytes`, with room for headers. */
const MAX_REQUEST_BYTES = 900_000;
const HEADERS = { "content-type": "application/cloudevents+json; charset=UTF-8" };
/** All replicas in sync have stored the message. */
const ALL_REPLICAS = -1;

/** Returns a bus for `ledger.outbox({ buses: { kafka: kafkaBus({ brokers, topics }) } })`. Needs `@platformatic/kafka`. */
export function kafkaBus(options: KafkaBusOptions): BusFactory {
  const connection = new BrokerConnection<TextProducer>({
    connect: () => openProducer(options),
    close: (producer) => producer.close(),
  });
  return {
    open: (settings) => {
      const topic = destinationOf(settings, "topic", options.topics);
      connection.acquire();
      return new KafkaBus(connection, topic);
    },
    check: (settings) => void destinationOf(settings, "topic", options.topics),
  };
}

class KafkaBus implements EventBus {
  readonly batchSize = BATCH;
  readonly #connection: BrokerConnection<TextProducer>;
  readonly #topic: string;

  constructor(connection: BrokerConnection<TextProducer>, topic: string) {
    this.#connection = connection;
    this.#topic = topic;
  }

  /** The events of a request are stored together or not at all, because they belong to one partition. */
  async publish({ runId, events }: BusMessage): Promise<void> {
    const values = events.map((event) => JSON.stringify(event));
    for (const chunk of chunksOf(values, MAX_REQUEST_BYTES)) {
      const messages = chunk.map((value) => ({ topic: this.#topic, key: runId, value, headers: HEADERS }));
      await this.#connection.use((producer) => producer.send({ messages, acks: ALL_REPLICAS }), refusalOf);
    }
  }

  close(): Promise<void> {
    return this.#connection.release();
  }
}

async function openProducer({ brokers, client }: KafkaBusOptions): Promise<TextProducer> {
  const { Producer, stringSerializers } = await loadClient("@platformatic/kafka", () => import("@platformatic/kafka"));
  return new Producer({
    clientId: "runledger",
    connectTimeout: 5000,
    retries: 1, // the outbox retries, later and in order
    autocreateTopics: false,
    ...client,
    bootstrapBrokers: [...brokers],
    serializers: stringSerializers,
  });
}

/** Answers about the message: it is too large or the topic does not accept it. */
const REFUSALS = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD", "CORRUPT_MESSAGE"];

interface ClientError extends Error {
  findBy?(property: string, value: unknown): Error | null;
}

function refusalOf(error: unknown): Error | undefined {
  const found = REFUSALS.find((id) => (error as ClientError).findBy?.("apiId", id));
  return found === undefined ? undefined : new Error(`Kafka refused the event: ${found}.`);
}
