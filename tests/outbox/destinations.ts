/** Places of brokers that the outbox publishes to, and that a test reads. */
import { createKafkaTopic, readKafka } from "@runledger/test-support/kafka-client";
import { createNatsStream, readNats } from "@runledger/test-support/nats-client";
import { readRedis, redisUrl } from "@runledger/test-support/redis-client";
import type { BrokerServer } from "@runledger/test-support/brokers";
import { kafkaBus, natsBus, redisBus, type BusFactory, type CloudEvent } from "runledger";

export interface Destination {
  readonly factory: BusFactory;
  /** Everything that the broker has stored, in the order of consumers. */
  received(): Promise<readonly CloudEvent[]>;
}

const read = (texts: readonly (string | undefined)[]) => texts.map((text) => JSON.parse(text!) as CloudEvent);

export async function redisDestination(server: BrokerServer): Promise<Destination> {
  const stream = "events";
  return {
    factory: redisBus({ url: redisUrl(server), streams: [stream] }),
    received: async () => read((await readRedis(server, stream)).map(({ event }) => event)),
  };
}

export async function natsDestination(server: BrokerServer): Promise<Destination> {
  const name = "events";
  await createNatsStream(server, name);
  return {
    factory: natsBus({ servers: [server.address], subjects: [name] }),
    received: async () => read((await readNats(server, name)).map(({ text }) => text)),
  };
}

export async function kafkaDestination(server: BrokerServer): Promise<Destination> {
  const topic = await createKafkaTopic(server);
  return {
    factory: kafkaBus({ brokers: [server.address], topics: [topic] }),
    received: async () => read((await readKafka(server, topic)).map(({ value }) => value)),
  };
}
