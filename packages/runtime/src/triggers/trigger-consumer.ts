/** Consumes the events of one trigger until it is stopped. A broker that is unavailable is tried again. */
import { RetryError, sha256Hex, type Trigger } from "@runledger/contracts";
import { busDelay } from "../outbox/backoff.js";
import { messageOf } from "../outbox/outcomes.js";
import { Notifier } from "../time/notifier.js";
import { isUnavailable, tryOnce } from "../time/retry.js";
import type { Timers } from "../time/timers.js";
import type { AtCrashPoint } from "./crash-points.js";
import type { EventHandler } from "./event-handler.js";
import type { SourceFactory, SourceMessage } from "./event-source.js";

export interface TriggerConsumerParts {
  readonly handler: EventHandler;
  readonly timers: Timers;
  readonly random: () => number;
  readonly at: AtCrashPoint;
  readonly fault: (error: unknown) => void;
}

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 2000;

export class TriggerConsumer {
  readonly #trigger: Trigger;
  readonly #factory: SourceFactory;
  readonly #parts: TriggerConsumerParts;
  readonly #stop = new AbortController();
  /** Ends a wait when the consumer is stopped. */
  readonly #notifier: Notifier;
  readonly #finished: Promise<void>;

  constructor(trigger: Trigger, factory: SourceFactory, parts: TriggerConsumerParts) {
    this.#trigger = trigger;
    this.#factory = factory;
    this.#parts = parts;
    this.#notifier = new Notifier(parts.timers);
    this.#finished = this.#run();
  }

  /** Finishes the event that is being handled. Later ones stay with the broker. */
  stop(): Promise<void> {
    this.#stop.abort();
    this.#notifier.notify();
    return this.#finished;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let { failures } = this.#trigger;
    const onReady = (): void => {
      if (failures > 0) void this.#report(null);
      failures = 0;
    };
    while (!signal.aborted) {
      try {
        const trigger = this.#trigger;
        const source = this.#factory.open(trigger.definition.source, { group: groupOf(trigger), trigger });
        await source.consume({ handle: (message) => this.#handle(message), onReady, signal });
        if (!signal.aborted) throw new Error("The source stopped without an error.");
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        await this.#report(messageOf(error));
        await this.#notifier.wait(busDelay(failures, this.#parts.random));
      }
    }
  }

  async #report(error: string | null): Promise<void> {
    const { handler, fault } = this.#parts;
    await tryOnce(() => handler.store.triggers.reportSource(this.#trigger, error), fault);
  }

  /** Throws if the consumer is stopped before the event is stored. */
  async #handle(message: SourceMessage): Promise<void> {
    const { at } = this.#parts;
    const { startsAt, definition } = this.#trigger;
    if (startsAt !== null && message.storedAt < Date.parse(startsAt)) return;
    await at("event-received");
    for (let attempts = 0, delays = 0; ; delays++) {
      const error = await this.#attempt(message);
      if (error === null) return at("run-started");
      if (!isUnavailable(error)) attempts++;
      if (attempts >= definition.maxAttempts && (await this.#reject(message, error))) return at("rejection-saved");
      await this.#notifier.wait(Math.min(FIRST_RETRY_MS * 2 ** delays, MAX_RETRY_MS));
      this.#stop.signal.throwIfAborted();
    }
  }

  /** Returns the error, or `null`. */
  async #attempt(message: SourceMessage): Promise<unknown> {
    try {
      await this.#parts.handler.start(this.#trigger, message);
      return null;
    } catch (error) {
      return error ?? new Error("unknown");
    }
  }

  /** Returns `false` if the store is unavailable. */
  async #reject(message: SourceMessage, error: unknown): Promise<boolean> {
    try {
      await this.#parts.handler.reject(this.#trigger, message, error);
      return true;
    } catch (failure) {
      if (!(failure instanceof RetryError)) this.#parts.fault(failure);
      return false;
    }
  }
}

/** Consumers of all processes have the same name for a trigger, and other tenants cannot choose it. */
export function groupOf({ tenantId, triggerId }: Pick<Trigger, "tenantId" | "triggerId">): string {
  return `runledger-${sha256Hex(`${tenantId}|${triggerId}`).slice(0, 24)}`;
}
