/**
 * Watches calls in progress. A statement that takes longer than its limit is given up, and so is a connection whose server
 * is silent. One coarse timer watches all calls, so that a call itself costs only an entry in a set.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ServerConnection } from "./connection.js";
import { probe, type Probed } from "./probe.js";

/** How often the calls are looked at. */
const EVERY_MS = 250;
/** The slowest link, in bytes per millisecond. Sent bytes may wait in buffers of the system for this long. */
const SLOWEST_LINK = 64;
/** A statement whose data still moves may take this many times its limit: a slow link is not a silent server. */
const WHILE_MOVING = 10;

export interface WatchOptions {
  /** How long a server may be silent before its connections are given up. */
  readonly silenceMs: number;
  /** Opens a connection to look at the server. */
  readonly open: () => ServerConnection;
}

/** A call, and the statement that it runs now. */
export class Call {
  /** `null` while the call waits for a connection. */
  connection: ServerConnection | null = null;
  limitMs = Infinity;
  startedAt = 0;
  /** When its data last moved. */
  movedAt = 0;
  bytesRead = 0;
  bytesWritten = 0;

  isGivenUp = false;
  /** Fails a call that waits for a connection. */
  giveUp: (error: Error) => void = () => {};

  constructor(readonly watch: Watch) {
    this.next(Infinity);
  }

  use(connection: ServerConnection): void {
    this.connection = connection;
    this.bytesRead = connection.bytesRead;
  }

  /** Starts the clock for the next statement of the call. */
  next(limitMs: number): void {
    this.limitMs = limitMs;
    this.bytesWritten = this.connection?.bytesWritten ?? 0;
    this.startedAt = this.movedAt = this.watch.now;
  }

  /** Looks whether data arrived, or is still being sent. */
  look(now: number): void {
    const bytesRead = this.connection?.bytesRead ?? 0;
    if (bytesRead !== this.bytesRead) this.movedAt = now;
    this.bytesRead = bytesRead;
  }

  /** How long a slow link takes for the statement. */
  get transferMs(): number {
    return ((this.connection?.bytesWritten ?? 0) - this.bytesWritten) / SLOWEST_LINK;
  }

  isOverdue(now: number): boolean {
    const isMoving = this.connection?.isSending === true || this.movedAt > this.startedAt;
    const since = this.connection?.isSending === true ? now : this.movedAt;
    return (
      now - since >= this.limitMs + this.transferMs || (isMoving && now - this.startedAt >= this.limitMs * WHILE_MOVING)
    );
  }

  end(error: Error): void {
    if (this.connection !== null) return this.connection.destroy(error);
    this.isGivenUp = true;
    this.giveUp(error);
  }
}

export class Watch {
  /** Milliseconds of a clock that does not count the time in which this process was suspended or busy. */
  now = 0;
  readonly #options: WatchOptions;
  readonly #calls = new Set<Call>();
  #timer: NodeJS.Timeout | null = null;
  #lookedAt = 0;
  #isProbing = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  start(): Call {
    const call = new Call(this);
    this.#calls.add(call);
    if (this.#timer === null) {
      this.#lookedAt = performance.now();
      this.#timer = setInterval(() => this.#look(), EVERY_MS).unref();
    }
    return call;
  }

  finish(call: Call): void {
    this.#calls.delete(call);
  }

  #look(): void {
    const at = performance.now();
    this.now += Math.min(at - this.#lookedAt, 2 * EVERY_MS);
    this.#lookedAt = at;
    if (this.#calls.size === 0) return this.#rest();
    for (const call of this.#calls) {
      call.look(this.now);
      if (call.isOverdue(this.now)) call.end(new Error(`the statement took longer than ${call.limitMs} ms`));
    }
    if (this.#quiet().length > 0 && !this.#isProbing) void this.#probe();
  }

  #rest(): void {
    clearInterval(this.#timer!);
    this.#timer = null;
  }

  /** Calls without any sign of life for half of the time that a server may be silent. */
  #quiet(): Call[] {
    const since = this.now - this.#options.silenceMs / 2;
    return [...this.#calls].filter(({ movedAt }) => movedAt <= since);
  }

  async #probe(): Promise<void> {
    this.#isProbing = true;
    const { open, silenceMs } = this.#options;
    const asked = this.#quiet();
    const connections = asked.flatMap(({ connection }) => (connection === null ? [] : [connection]));
    const probed = await probe(open(), connections, silenceMs / 2);
    await pause(EVERY_MS); // a response may have arrived that this process has not read yet
    for (const call of asked) call.look(this.now);
    const still = new Set(this.#quiet());
    for (const call of asked) if (still.has(call) && this.#isLost(call, probed)) call.end(noResponse(silenceMs));
    this.#isProbing = false;
  }

  /**
   * A call that waits for a connection is lost only if the server is. The server may seem idle while a statement is still on
   * its way.
   */
  #isLost({ connection, movedAt, transferMs }: Call, probed: Probed): boolean {
    if (probed === "no response") return true;
    const isSent = connection?.isSending === false && this.now - movedAt >= this.#options.silenceMs / 2 + transferMs;
    return isSent && probed.idle.has(connection);
  }
}

function noResponse(silenceMs: number): Error {
  return new Error(`the server did not respond within ${silenceMs} ms`);
}
