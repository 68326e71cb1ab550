/** Publishes events to NATS JetStream, each run under its own subject. The stream drops events that it has seen. */
import type { JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { BrokerConnection, loadClient } from "../broker-connection.js";
import { destinationOf } from "../broker-settings.js";
import { BusUnavailableError, type BusFactory, type BusMessage, type EventBus } from "../event-bus.js";

export interface NatsBusOptions {
  /** Addresses of servers, such as `nats-1:4222`. */
  readonly servers: readonly string[];
  /**
   * The subjects that subscriptions may name in the setting `subject`. The first one is the default. Events are published to
   * `<subject>.<tenant>.<run>`, so create a stream for `<subject>.>`.
   */
  readonly subjects: readonly string[];
  /** More options of the connection of `@nats-io/transport-node`, such as `tls`, `user` and `pass`. */
  readonly client?: Readonly<Record<string, unknown>>;
}

interface Open {
  readonly connection: NatsConnection;
  readonly stream: JetStreamClient;
}

/**
 * Returns a bus for `ledger.outbox({ buses: { nats: natsBus({ servers, subjects }) } })`. Needs `@nats-io/jetstream` and
 * `@nats-io/transport-node`.
 */
export function natsBus(options: NatsBusOptions): BusFactory {
  const shared = new BrokerConnection<Open>({
    connect: () => connectTo(options),
    close: ({ connection }) => connection.close(),
  });
  return {
    open: (settings) => {
      const subject = destinationOf(settings, "subject", options.subjects);
      shared.acquire();
      return new NatsBus(shared, subject);
    },
    check: (settings) => void destinationOf(settings, "subject", options.subjects),
  };
}

class NatsBus implements EventBus {
  readonly #shared: BrokerConnection<Open>;
  readonly #subject: string;

  constructor(shared: BrokerConnection<Open>, subject: string) {
    this.#shared = shared;
    this.#subject = subject;
  }

  /** One event after the other: if a stream refuses one of several, it still stores those after it. */
  async publish(message: BusMessage): Promise<void> {
    const { tenantId, runId, events } = message;
    const subject = `${this.#subject}.${tokenOf(tenantId)}.${tokenOf(runId)}`;
    for (const event of events) {
      const options = { msgID: messageId(message, event.id), timeout: 5000, retries: 0 };
      await this.#shared.use(
        ({ stream }) => stream.publish(subject, JSON.stringify(event), options),
        (error) => answerOf(error, subject),
      );
    }
  }

  close(): Promise<void> {
    return this.#shared.release();
  }
}

/** A rewound subscription has another number, so a stream does not drop its events. */
function messageId({ tenantId, subscriptionId, subscriptionNumber }: BusMessage, eventId: string): string {
  return [tenantId, subscriptionId, String(subscriptionNumber), eventId].map(encodeURIComponent).join("/");
}

/** A token of a subject contains no dots, spaces and wildcards. */
function tokenOf(text: string): string {
  return encodeURIComponent(text).replaceAll(".", "%2E").replaceAll("*", "%2A");
}

async function connectTo({ servers, client }: NatsBusOptions): Promise<Open> {
  const { connect } = await loadClient("@nats-io/transport-node", () => import("@nats-io/transport-node"));
  const { jetstream } = await loadClient("@nats-io/jetstream", () => import("@nats-io/jetstream"));
  const defaults = { name: "runledger", timeout: 5000, reconnect: false }; // the bus connects again by itself
  const connection = await connect({ ...defaults, ...client, servers: [...servers] });
  return { connection, stream: jetstream(connection) };
}

/** `message size exceeds maximum allowed` of a stream. */
const TOO_LARGE = 10_054;

/** The client refuses messages that are larger than the server accepts, and reports a missing stream as missing JetStream. */
function answerOf(error: unknown, subject: string): Error | undefined {
  const { name, message, code } = error as Error & { readonly code?: unknown };
  if (name === "JetStreamNotEnabled")
    return new BusUnavailableError(`No stream of NATS stores the subject ${subject}.`);
  const isTooLarge = code === TOO_LARGE || (name === "InvalidArgumentError" && message.includes("max_payload"));
  return isTooLarge ? new Error(`NATS refused the event: ${message}`) : undefined;
}
