/** Reads a Kafka topic as a consumer group. The offset of a message is committed after its run is stored. */
import type { Message } from "@platformatic/kafka";
import { loadClient } from "../../outbox/broker-connection.js";
import { placeOf, type ConsumeParams, type SourceFactory, type SourceMessage } from "../event-source.js";

export interface KafkaSourceOptions {
  /** Addresses of brokers, such as `kafka-1:9092`. */
  readonly brokers: readonly string[];
  /** The topics that triggers may name in the setting `topic`. The first one is the default. */
  readonly topics: readonly string[];
  /** More options of the consumer of `@platformatic/kafka`, such as `tls` and `sasl`. */
  readonly client?: Readonly<Record<string, unknown>>;
}

type TextMessage = Message<string, string, string, string>;

/** Returns a source for `ledger.consumers({ sources: { kafka: kafkaSource({ brokers, topics }) } })`. Needs `@platformatic/kafka`. */
export function kafkaSource(options: KafkaSourceOptions): SourceFactory {
  return {
    open: (settings, { group }) => {
      const topic = placeOf(settings, "topic", options.topics);
      return { consume: (params) => consume(options, topic, group, params) };
    },
    check: (settings) => void placeOf(settings, "topic", options.topics),
  };
}

async function consume(
  options: KafkaSourceOptions,
  topic: string,
  group: string,
  { handle, onReady, signal }: ConsumeParams,
): Promise<void> {
  const consumer = await openConsumer(options, group);
  let stop = (): void => {};
  try {
    const position = { mode: "committed", fallbackMode: "earliest" } as const;
    const stream = await consumer.consume({ topics: [topic], ...position, autocommit: false, maxWaitTime: 500 });
    stop = () => void stream.destroy();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    onReady();
    for await (const message of stream) {
      await handle(toMessage(message));
      await message.commit();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    await Promise.resolve(consumer.close(true)).catch(() => {}); // the broker may be gone
  }
}

async function openConsumer({ brokers, client }: KafkaSourceOptions, groupId: string) {
  const { Consumer, stringDeserializers } = await loadClient(
    "@platformatic/kafka",
    () => import("@platformatic/kafka"),
  );
  return new Consumer({
    clientId: "runledger",
    connectTimeout: 5000,
    retries: 1, // the consumer of the trigger retries
    autocreateTopics: false,
    sessionTimeout: 10_000,
    heartbeatInterval: 3000,
    ...client,
    groupId,
    bootstrapBrokers: [...brokers],
    deserializers: stringDeserializers,
  });
}

function toMessage({ topic, partition, offset, timestamp, headers, value }: TextMessage): SourceMessage {
  const position = `${topic}/${partition}@${offset}`;
  const named = [...headers].map(([name, text]) => [name.toLowerCase(), text] as const);
  return {
    headers: Object.fromEntries(named),
    body: value ?? "", // a record without a value deletes its key in a compacted topic
    id: position,
    position,
    storedAt: Number(timestamp),
  };
}
