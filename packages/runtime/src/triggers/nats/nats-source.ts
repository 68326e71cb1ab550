/** Reads a stream of NATS JetStream with a durable consumer. A message is acknowledged after its run is stored. */
import type { JsMsg } from "@nats-io/jetstream";
import { loadClient } from "../../outbox/broker-connection.js";
import { placeOf, type ConsumeParams, type SourceFactory, type SourceMessage } from "../event-source.js";

export interface NatsSourceOptions {
  /** Addresses of servers, such as `nats-1:4222`. */
  readonly servers: readonly string[];
  /** The streams that triggers may name in the setting `stream`. The first one is the default. */
  readonly streams: readonly string[];
  /** A message that was not acknowledged is delivered again after this time. Default 30 seconds. */
  readonly redeliverAfterMs?: number;
  /** More options of the connection of `@nats-io/transport-node`, such as `tls`, `user` and `pass`. */
  readonly client?: Readonly<Record<string, unknown>>;
}

const BATCH = 20;
const WAIT_MS = 1000;
const NANOS_PER_MS = 1_000_000;

/**
 * Returns a source for `ledger.consumers({ sources: { nats: natsSource({ servers, streams }) } })`. Needs `@nats-io/jetstream`
 * and `@nats-io/transport-node`.
 */
export function natsSource(options: NatsSourceOptions): SourceFactory {
  return {
    open: (settings, { group }) => {
      const stream = placeOf(settings, "stream", options.streams);
      return { consume: (params) => consume(options, stream, group, params) };
    },
    check: (settings) => void placeOf(settings, "stream", options.streams),
  };
}

async function consume(
  options: NatsSourceOptions,
  stream: string,
  group: string,
  { handle, onReady, signal }: ConsumeParams,
): Promise<void> {
  const { connection, consumer } = await openConsumer(options, stream, group);
  try {
    onReady();
    while (!signal.aborted) {
      const messages = await consumer.fetch({ max_messages: BATCH, expires: WAIT_MS });
      for await (const message of messages) {
        if (signal.aborted) break;
        await handle(toMessage(message, stream));
        await message.ackAck();
      }
      if (connection.isClosed()) throw new Error("The connection to NATS was closed.");
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await connection.close().catch(() => {}); // the server may be gone
  }
}

async function openConsumer(
  { servers, client, redeliverAfterMs = 30_000 }: NatsSourceOptions,
  stream: string,
  group: string,
) {
  const { connect } = await loadClient("@nats-io/transport-node", () => import("@nats-io/transport-node"));
  const nats = await loadClient("@nats-io/jetstream", () => import("@nats-io/jetstream"));
  const defaults = { name: "runledger", timeout: 5000, reconnect: false }; // the consumer of the trigger connects again
  const connection = await connect({ ...defaults, ...client, servers: [...servers] });
  try {
    const manager = await nats.jetstreamManager(connection);
    await manager.consumers.add(stream, {
      durable_name: group,
      ack_policy: nats.AckPolicy.Explicit,
      deliver_policy: nats.DeliverPolicy.All,
      ack_wait: redeliverAfterMs * NANOS_PER_MS,
    });
    return { connection, consumer: await nats.jetstream(connection).consumers.get(stream, group) };
  } catch (error) {
    await connection.close().catch(() => {});
    throw error;
  }
}

function toMessage(message: JsMsg, stream: string): SourceMessage {
  const headers = [...(message.headers?.keys() ?? [])].map(
    (name) => [name.toLowerCase(), message.headers!.get(name)] as const,
  );
  const named = Object.fromEntries(headers);
  const position = `${stream}@${message.seq}`;
  const storedAt = Number(message.timestampNanos / BigInt(NANOS_PER_MS));
  return { headers: named, body: message.string(), id: named["nats-msg-id"] ?? position, position, storedAt };
}
