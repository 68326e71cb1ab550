/**
 * Starts runs for the events of brokers. Any number of processes share the work: the broker distributes the messages of a
 * trigger to them, and delivers a message again if its process is lost.
 */
import type { Trigger } from "@runledger/contracts";
import { PollLoop } from "../time/poll-loop.js";
import type { AtCrashPoint } from "./crash-points.js";
import type { EventHandlerParts } from "./event-handler.js";
import { EventHandler } from "./event-handler.js";
import type { SourceFactory } from "./event-source.js";
import { TriggerConsumer } from "./trigger-consumer.js";
import type { TriggerAlert } from "./alerts.js";

export interface ConsumerOptions {
  /** Sources by the type that triggers name. */
  readonly sources?: Readonly<Record<string, SourceFactory>>;
  /** How often to look for new and changed triggers. Default one second. */
  readonly pollMs?: number;
  /** Receives alerts for operators. Prints them by default. */
  readonly onAlert?: (alert: TriggerAlert) => void;
  /** Receives faults; the consumers continue. Prints them by default. */
  readonly onFault?: (error: unknown) => void;
}

export interface ConsumersParts extends EventHandlerParts {
  readonly sources: Readonly<Record<string, SourceFactory>>;
  readonly pollMs: number;
  readonly at?: AtCrashPoint;
  readonly random?: () => number;
}

interface Running {
  readonly version: string;
  readonly consumer: TriggerConsumer;
}

const PAGE = 1000;

export class Consumers implements AsyncDisposable {
  readonly #parts: ConsumersParts;
  readonly #handler: EventHandler;
  readonly #running = new Map<string, Running>();
  readonly #loop: PollLoop;
  #isStopping = false;

  constructor(parts: ConsumersParts) {
    const { timers, pollMs: everyMs, fault: onFault } = parts;
    this.#parts = parts;
    this.#handler = new EventHandler(parts);
    const isDone = (): boolean => this.#isStopping || Object.keys(parts.sources).length === 0;
    this.#loop = new PollLoop({ timers, everyMs, isDone, onFault, round: () => this.#look() }).start();
  }

  /** Finishes the events that are being handled. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#loop.notify();
    await this.#loop.finished();
    await Promise.all([...this.#running.values()].map(({ consumer }) => consumer.stop()));
    await this.#handler.settled();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #look(): Promise<void> {
    const active = await this.#active();
    const names = new Set(active.map(keyOf));
    const gone = [...this.#running.keys()].filter((key) => !names.has(key));
    await Promise.all(gone.map((key) => this.#end(key)));
    await Promise.all(active.map((trigger) => this.#follow(trigger)));
  }

  async #active(): Promise<readonly Trigger[]> {
    const { store, sources } = this.#parts;
    const found: Trigger[] = [];
    for (;;) {
      const after = found.at(-1);
      const params = { types: Object.keys(sources), limit: PAGE, ...(after && { after }) };
      const page = await store.triggers.listActive(params);
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  }

  async #follow(trigger: Trigger): Promise<void> {
    const key = keyOf(trigger);
    const version = `${trigger.createdAt} ${trigger.version}`;
    if (this.#running.get(key)?.version === version) return;
    await this.#end(key);
    const { sources, timers, fault, random = Math.random, at = () => {} } = this.#parts;
    const factory = sources[trigger.definition.source.type]!; // listActive returns no others
    const parts = { handler: this.#handler, timers, fault, random, at };
    this.#running.set(key, { version, consumer: new TriggerConsumer(trigger, factory, parts) });
  }

  async #end(key: string): Promise<void> {
    const running = this.#running.get(key);
    this.#running.delete(key);
    await running?.consumer.stop();
  }
}

function keyOf({ tenantId, triggerId }: Trigger): string {
  return JSON.stringify([tenantId, triggerId]);
}
