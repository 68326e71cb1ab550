/** Places of brokers that a test publishes to, and that triggers read. */
import { newId } from "@runledger/contracts";
import type { BrokerServer } from "@runledger/test-support/brokers";
import { createKafkaTopic, sendKafka } from "@runledger/test-support/kafka-client";
import { createNatsStream, sendNats } from "@runledger/test-support/nats-client";
import { sendRedis } from "@runledger/test-support/redis-client";

export interface SentEvent {
  readonly id: string;
  /** The body of the message. Default: a CloudEvent with this id. */
  readonly body?: string;
}

export interface Origin {
  /** The name of the topic or stream. */
  readonly place: string;
  /** The setting of a trigger that names the place. */
  readonly setting: "topic" | "stream";
  send(events: readonly SentEvent[]): Promise<void>;
}

const attributesOf = (id: string) => ({ specversion: "1.0", id, source: "/shop", type: "order.created" });
const structured = ({ id, body }: SentEvent): string =>
  body ?? JSON.stringify({ ...attributesOf(id), data: { n: 1, id } });

export async function kafkaOrigin(server: BrokerServer): Promise<Origin> {
  const topic = await createKafkaTopic(server);
  const recordOf = (event: SentEvent) => ({ key: event.id, value: structured(event) });
  return { place: topic, setting: "topic", send: (events) => sendKafka(server, topic, events.map(recordOf)) };
}

/** Sends events in binary mode, so that both modes are read from a real broker. */
export async function natsOrigin(server: BrokerServer): Promise<Origin> {
  const name = newId("stream");
  await createNatsStream(server, name);
  const recordOf = ({ id, body }: SentEvent) => ({
    subject: `${name}.created`,
    headers: Object.fromEntries(Object.entries(attributesOf(id)).map(([key, value]) => [`ce-${key}`, value])),
    text: body ?? JSON.stringify({ n: 1, id }),
  });
  return { place: name, setting: "stream", send: (events) => sendNats(server, events.map(recordOf)) };
}

export async function redisOrigin(server: BrokerServer): Promise<Origin> {
  const stream = newId("stream");
  const entryOf = (event: SentEvent) => ({ event: structured(event) });
  return { place: stream, setting: "stream", send: (events) => sendRedis(server, stream, events.map(entryOf)) };
}
