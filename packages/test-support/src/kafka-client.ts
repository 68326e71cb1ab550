/** Creates, fills and reads topics of a Kafka of the tests. */
import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from "@platformatic/kafka";
import { newId } from "@runledger/contracts";
import type { BrokerServer } from "./broker-server.js";

export const KAFKA_PARTITIONS = 3;

export interface KafkaRecord {
  readonly key: string;
  readonly partition: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly value: string;
}

const client = ({ address }: BrokerServer) => ({ clientId: "test", bootstrapBrokers: [address] });

/** Returns the name of a new topic. */
export async function createKafkaTopic(server: BrokerServer): Promise<string> {
  const topic = newId("topic");
  const admin = new Admin(client(server));
  await admin.createTopics({ topics: [topic], partitions: KAFKA_PARTITIONS, replicas: 1 });
  await admin.close();
  return topic;
}

export async function sendKafka(
  server: BrokerServer,
  topic: string,
  records: readonly { readonly key: string; readonly value: string }[],
): Promise<void> {
  const producer = new Producer({ ...client(server), serializers: stringSerializers });
  await producer.send({ messages: records.map((record) => ({ topic, ...record })), acks: -1 });
  await producer.close();
}

export async function readKafka(server: BrokerServer, topic: string): Promise<readonly KafkaRecord[]> {
  const options = { ...client(server), groupId: newId("group"), deserializers: stringDeserializers, maxWaitTime: 100 };
  const consumer = new Consumer(options);
  const ends = await consumer.listOffsets({ topics: [topic] });
  const count = Number(ends.get(topic)!.reduce((sum, end) => sum + end, 0n));
  const stored: KafkaRecord[] = [];
  const stream = count === 0 ? [] : await consumer.consume({ topics: [topic], mode: "earliest", autocommit: false });
  for await (const { key, partition, headers, value } of stream) {
    stored.push({ key, partition, headers, value });
    if (stored.length === count) break;
  }
  await Promise.resolve(consumer.close(true));
  return stored;
}
