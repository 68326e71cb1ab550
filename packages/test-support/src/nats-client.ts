/** Creates, fills and reads streams of a NATS server of the tests. */
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from "@nats-io/jetstream";
import { connect, headers as newHeaders } from "@nats-io/transport-node";
import type { BrokerServer } from "./broker-server.js";

export interface NatsMessage {
  readonly subject: string;
  readonly text: string;
}

/** The stream stores all subjects below its name. */
export async function createNatsStream(server: BrokerServer, name: string, limits: object = {}): Promise<void> {
  await withNats(server, (_, manager) => manager.streams.add({ name, subjects: [`${name}.>`], ...limits }));
}

export interface NatsRecord {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export async function sendNats(server: BrokerServer, records: readonly NatsRecord[]): Promise<void> {
  await withNats(server, async (client) => {
    for (const { subject, headers, text } of records) {
      const named = newHeaders();
      for (const [name, value] of Object.entries(headers)) named.set(name, value);
      await client.publish(subject, text, { headers: named });
    }
  });
}

export function readNats(server: BrokerServer, name: string): Promise<readonly NatsMessage[]> {
  return withNats(server, async (client, manager) => {
    const { state } = await manager.streams.info(name);
    const stored: NatsMessage[] = [];
    if (state.messages === 0) return stored;
    const consumer = await client.consumers.get(name);
    for await (const message of await consumer.fetch({ max_messages: state.messages, expires: 30_000 }))
      stored.push({ subject: message.subject, text: message.string() });
    return stored;
  });
}

type Work<T> = (client: JetStreamClient, manager: JetStreamManager) => Promise<T>;

async function withNats<T>(server: BrokerServer, work: Work<T>): Promise<T> {
  const connection = await connect({ servers: server.address });
  try {
    return await work(jetstream(connection), await jetstreamManager(connection));
  } finally {
    await connection.close();
  }
}
