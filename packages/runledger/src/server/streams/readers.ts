/** Everybody who holds a stream open: how many there may be, and what keeps their connections alive. */
import type { ServerResponse } from "node:http";
import { RetryError } from "@runledger/contracts";
import { SseConnection } from "./sse-connection.js";

export interface ReaderOptions {
  /** Default 15 s: less than what proxies take for silence. */
  readonly heartbeatMs?: number;
  /** Default 10,000; one tenant has at most half of them, so that it cannot shut the others out. */
  readonly maxReaders?: number;
  /** A reader that takes nothing of what waits for it for so long is closed. Default 10 s. */
  readonly stuckMs?: number;
  /** How often it is asked whether a reader still may. Default 30 s. */
  readonly judgeMs?: number;
}

const HEARTBEAT = Buffer.from(": still here\n\n");

export class Readers {
  readonly #open = new Map<SseConnection, string>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #most: number;
  readonly #patience: { readonly stuckMs: number; readonly judgeMs: number };
  #closed = false;

  constructor({ heartbeatMs = 15_000, maxReaders = 10_000, stuckMs = 10_000, judgeMs = 30_000 }: ReaderOptions = {}) {
    this.#most = maxReaders;
    this.#patience = { stuckMs, judgeMs };
    this.#heartbeat = setInterval(() => this.#open.forEach((_, reader) => reader.send(HEARTBEAT)), heartbeatMs);
    this.#heartbeat.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Asked before a stream begins: afterwards it is too late for an error. */
  checkRoom(tenantId: string): void {
    if (this.#closed) throw new RetryError("SERVER_STOPPING", "The server is being stopped; connect again.");
    if (this.#open.size >= this.#most) throw busy("The server has as many open streams as it takes");
    if (this.#open.size < this.#most / 2) return; // nobody has to be counted
    const own = [...this.#open.values()].filter((one) => one === tenantId).length;
    if (own >= this.#most / 2) throw busy("The tenant has as many open streams as one may have");
  }

  accept(tenantId: string, response: ServerResponse, headers: Readonly<Record<string, string>>): SseConnection {
    const reader = new SseConnection(response, headers, this.#patience);
    this.#open.set(reader, tenantId);
    reader.onClose(() => this.#open.delete(reader));
    return reader;
  }

  /** Ends every stream; readers connect again elsewhere. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    for (const reader of this.#open.keys()) reader.end();
  }
}

function busy(why: string): RetryError {
  return new RetryError("SERVER_BUSY", `${why}; close some, or try again later.`);
}
