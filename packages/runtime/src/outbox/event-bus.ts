/** The port of buses. A bus publishes the events of one run at a time, in order. */
import type { BusSettings, Json } from "@runledger/contracts";
import type { CloudEvent } from "./cloud-event.js";

/** Events of one run. The outbox publishes the next message of a run after this one was accepted. */
export interface BusMessage {
  readonly tenantId: string;
  readonly subscriptionId: string;
  /** Changes when the subscription is rewound. A bus that drops repeated messages must not drop those of another number. */
  readonly subscriptionNumber: number;
  readonly runId: string;
  /** At least one, ascending by `runSeq`. */
  readonly events: readonly CloudEvent[];
}

export interface EventBus {
  /** Most events of a message. Default 1. */
  readonly batchSize?: number;
  /**
   * Resolves once the bus has stored the message. Throw `BusUnavailableError` if the bus cannot be reached, and any other
   * error if it refuses the message.
   */
  publish(message: BusMessage, signal: AbortSignal): Promise<void>;
  close?(): Promise<void>;
}

export interface BusContext {
  readonly tenantId: string;
  /** Resolves secrets by name. */
  secrets(names: readonly string[]): Promise<readonly string[]>;
}

/** Creates the bus of a subscription. Throws an `InputError` if the settings are wrong. */
export interface BusFactory {
  open(settings: BusSettings, context: BusContext): EventBus;
  /** Checks settings before a subscription is saved. Throws an `InputError` that names the setting. */
  check?(settings: BusSettings): void;
}

/** The bus could not be reached. All deliveries of the subscription wait, and no event is blamed. */
export class BusUnavailableError extends Error {
  constructor(
    message: string,
    /** The bus asked to wait at least this long. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
    this.name = "BusUnavailableError";
  }
}

/** Publishes a message. A bus that does not answer in time counts as unavailable. */
export async function publishInTime(bus: EventBus, message: BusMessage, ms: number): Promise<void> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new BusUnavailableError(`The bus did not answer within ${ms} ms.`));
      over.abort();
    }, ms);
  });
  try {
    await Promise.race([bus.publish(message, over.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** No process-wide failure: another process may have registered the bus. */
export class UnknownBusError extends Error {}

/** Returns a bus that calls a function of this process, for `ledger.outbox({ buses: { name: inProcessBus(fn) } })`. */
export function inProcessBus(
  publish: (message: BusMessage, settings: BusSettings) => void | Promise<void>,
  options: { readonly batchSize?: number } = {},
): BusFactory {
  const { batchSize = 100 } = options;
  return { open: (settings) => ({ batchSize, publish: async (message) => publish(message, settings) }) };
}

/** Returns a setting that must be text, or `undefined` if it is absent. */
export function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}
