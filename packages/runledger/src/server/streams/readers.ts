/** Everybody who holds a stream open: how many there may be, and what keeps their connections alive. */
import type { ServerResponse } from "node:http";
import { RetryError } from "@runledger/contracts";
import { SseConnection } from "./sse-connection.js";

export interface ReaderOptions {
  /** Default 15 s: less than what proxies take for silence. */
  readonly heartbeatMs?: number;
  /** Default 10,000. */
  readonly maxReaders?: number;
  /** A reader that takes nothing of what waits for it for so long is closed. Default 10 s. */
  readonly stuckMs?: number;
}

const HEARTBEAT = Buffer.from(": still here\n\n");

export class Readers {
  readonly #open = new Set<SseConnection>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #most: number;
  readonly #stuckMs: number;
  #closed = false;

  constructor({ heartbeatMs = 15_000, maxReaders = 10_000, stuckMs = 10_000 }: ReaderOptions = {}) {
    this.#most = maxReaders;
    this.#stuckMs = stuckMs;
    this.#heartbeat = setInterval(() => this.#open.forEach((reader) => reader.send(HEARTBEAT)), heartbeatMs);
    this.#heartbeat.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Asked before a stream begins: afterwards it is too late for an error. */
  checkRoom(): void {
    if (this.#closed) throw new RetryError("SERVER_STOPPING", "The server is being stopped; connect again.");
    if (this.#open.size < this.#most) return;
    const message = `The server has ${this.#open.size} open streams, as many as it takes; try again later.`;
    throw new RetryError("SERVER_BUSY", message);
  }

  accept(response: ServerResponse, headers: Readonly<Record<string, string>>): SseConnection {
    const reader = new SseConnection(response, headers, this.#stuckMs);
    this.#open.add(reader);
    reader.onClose(() => this.#open.delete(reader));
    return reader;
  }

  /** Ends every stream; readers connect again elsewhere. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    for (const reader of this.#open) reader.end();
  }
}
