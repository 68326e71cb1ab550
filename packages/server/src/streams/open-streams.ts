/** All open streams of the server: limits their number and sends heartbeats. */
import type { ServerResponse } from "node:http";
import { RetryError } from "@runledger/contracts";
import { SseConnection, type ConnectionLimits, type ConnectionSettings } from "./sse-connection.js";

export interface OpenStreamOptions {
  /** Interval of heartbeats, shorter than the idle timeout of common proxies. Defaults to 15 seconds. */
  readonly heartbeatMs?: number;
  /** Defaults to 10,000. One tenant can open at most half of them, so that it cannot lock out the others. */
  readonly maxStreams?: number;
  /** A reader that receives none of its unsent data for this long is disconnected. Defaults to 10 seconds. */
  readonly stalledMs?: number;
  /** Interval at which the server checks that a reader is still allowed. Defaults to 30 seconds. */
  readonly recheckMs?: number;
}

/** Interval at which the server looks for keys that another server has revoked. */
const KEY_CHECK_MS = 2000;
const HEARTBEAT = Buffer.from(": still here\n\n");

export class OpenStreams {
  readonly #tenants = new Map<SseConnection, string>();
  readonly #credentials = new Map<SseConnection, string>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #max: number;
  readonly #limits: ConnectionLimits;
  #keyCheck: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({
    heartbeatMs = 15_000,
    maxStreams = 10_000,
    stalledMs = 10_000,
    recheckMs = 30_000,
  }: OpenStreamOptions = {}) {
    this.#max = maxStreams;
    this.#limits = { stalledMs, recheckMs };
    this.#heartbeat = setInterval(
      () => this.#tenants.forEach((_, connection) => connection.send(HEARTBEAT)),
      heartbeatMs,
    );
    this.#heartbeat.unref();
  }

  get size(): number {
    return this.#tenants.size;
  }

  /** Call it before the stream starts: afterwards the response cannot report an error. */
  assertCapacity(tenantId: string): void {
    if (this.#closed) throw new RetryError("SERVER_STOPPING", "The server is shutting down. Connect again.");
    if (this.#tenants.size >= this.#max) throw busy(`The server has ${this.#max} open streams`);
    if (this.#tenants.size < this.#max / 2) return; // no tenant can have half of the maximum
    const own = [...this.#tenants.values()].filter((one) => one === tenantId).length;
    if (own >= this.#max / 2) throw busy(`The tenant has ${own} open streams`);
  }

  open(
    { tenantId, credential }: { readonly tenantId: string; readonly credential: string },
    response: ServerResponse,
    settings: ConnectionSettings,
  ): SseConnection {
    const connection = new SseConnection(response, settings, this.#limits);
    this.#tenants.set(connection, tenantId);
    this.#credentials.set(connection, credential);
    connection.onClose(() => {
      this.#tenants.delete(connection);
      this.#credentials.delete(connection);
    });
    return connection;
  }

  /** Closes all streams of a credential, for example after it was revoked. */
  closeOf(credential: string): void {
    for (const [connection, used] of this.#credentials) if (used === credential) connection.end();
  }

  /** Closes streams of keys that other servers have revoked. Asks once per key, not once per stream. */
  watchKeys(isValid: (keyId: string) => Promise<boolean>): void {
    const check = async (keyId: string): Promise<void> => {
      if (!(await isValid(keyId).catch(() => true))) this.closeOf(keyId); // an unavailable store denies nothing
    };
    this.#keyCheck = setInterval(() => {
      const keyIds = [...this.#credentials.values()].filter((credential) => credential.startsWith("key_"));
      for (const keyId of new Set(keyIds)) void check(keyId);
    }, KEY_CHECK_MS).unref();
  }

  /** Closes every stream. Readers reconnect to another server. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    clearInterval(this.#keyCheck);
    for (const connection of this.#tenants.keys()) connection.end();
  }
}

function busy(reason: string): RetryError {
  return new RetryError("SERVER_BUSY", `${reason}, which is the limit. Close some, or try again later.`);
}
