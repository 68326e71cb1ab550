/** A connection that sends server-sent events to one reader, with a limit on unsent data. */
import type { ServerResponse } from "node:http";
import type { CallerQuota } from "../quotas/caller-quota.js";

/** Limit on unsent data per reader. Later messages are read from the log once the reader has caught up. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** Time that a closed connection has to send its remaining data. */
const CLOSE_TIMEOUT_MS = 1000;
/** Clients wait this long before they reconnect. */
const RECONNECT_MS = 1000;

export interface ConnectionLimits {
  /** A reader that receives none of its unsent data for this long is disconnected. It can reconnect without loss. */
  readonly stalledMs: number;
  /** Interval of permission checks. */
  readonly recheckMs: number;
}

export interface ConnectionSettings {
  readonly headers: Readonly<Record<string, string>>;
  /** Counts the sent bytes, and slows a stream down that sends too many. */
  readonly quota: CallerQuota;
}

export class SseConnection {
  readonly #response: ServerResponse;
  readonly #onClose: (() => void)[] = [];
  readonly #limits: ConnectionLimits;
  readonly #quota: CallerQuota;
  #drained: Promise<void> | null = null;

  constructor(response: ServerResponse, { headers, quota }: ConnectionSettings, limits: ConnectionLimits) {
    this.#response = response;
    this.#quota = quota;
    this.#limits = limits;
    response.on("error", () => response.destroy());
    response.once("close", () => this.#onClose.forEach((action) => action()));
    response.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    response.write(`retry: ${RECONNECT_MS}\n\n`);
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** `true` if the reader is slower than the messages, or receives more than its quota. */
  get isFull(): boolean {
    return this.#isUnsent || this.#quota.paceMs() > 0;
  }

  get #isUnsent(): boolean {
    return this.#response.writableLength > MAX_UNSENT_BYTES;
  }

  /** Calls `action` once, after either side has closed the connection. */
  onClose(action: () => void): void {
    if (this.#response.destroyed) action();
    else this.#onClose.push(action);
  }

  /** Takes encoded bytes, so that a message for many readers is encoded once. */
  send(message: Buffer): void {
    if (!this.isOpen) return;
    this.#response.write(message);
    this.#quota.spend("bytes", message.length);
  }

  /** Closes the connection as soon as `isAllowed` fails, for example after its key was revoked. */
  closeUnless(isAllowed: () => Promise<boolean>): void {
    const timer = setInterval(() => {
      void isAllowed().then((allowed) => (allowed ? undefined : this.end()));
    }, this.#limits.recheckMs);
    timer.unref();
    this.onClose(() => clearInterval(timer));
  }

  /** Resolves once the connection is not full, or is closed. All users of the connection share one wait. */
  async waitUntilDrained(): Promise<void> {
    while (this.isOpen && this.isFull) await (this.#drained ??= this.#isUnsent ? this.#nextDrain() : this.#nextPace());
  }

  async #nextPace(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#quota.paceMs()));
    this.#drained = null;
  }

  #nextDrain(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(stalled);
        this.#response.off("drain", done).off("close", done);
        this.#drained = null;
        resolve();
      };
      const stalled = setTimeout(() => this.#response.destroy(), this.#limits.stalledMs);
      this.#response.once("drain", done).once("close", done);
    });
  }

  end(): void {
    this.#response.end();
    setTimeout(() => this.#response.destroy(), CLOSE_TIMEOUT_MS).unref();
  }
}

/** Encodes one message. */
export function encodeMessage(parts: {
  readonly id?: string | number;
  readonly event?: string;
  readonly data: unknown;
}): Buffer {
  const id = parts.id === undefined ? "" : `id: ${parts.id}\n`;
  const event = parts.event === undefined ? "" : `event: ${parts.event}\n`;
  return Buffer.from(`${id}${event}data: ${JSON.stringify(parts.data)}\n\n`);
}
