/** One reader of server-sent events, and how much may wait for it. */
import type { ServerResponse } from "node:http";

/** More than this does not wait for one reader: what comes after it is read from the log when there is room. */
const CROWDED_BYTES = 256 * 1024;
/** How long an ended connection may take to empty. */
const LAST_WORDS_MS = 1000;
const RECONNECT_MS = 1000;

export class SseConnection {
  readonly #response: ServerResponse;
  readonly #onClose: (() => void)[] = [];
  readonly #stuckMs: number;
  readonly #judgeMs: number;
  #room: Promise<void> | null = null;

  /** `stuckMs`: a reader that leaves what waits for it so long is closed; it comes back and loses nothing. */
  constructor(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    { stuckMs, judgeMs }: { readonly stuckMs: number; readonly judgeMs: number },
  ) {
    this.#response = response;
    this.#stuckMs = stuckMs;
    this.#judgeMs = judgeMs;
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

  /** Called once, when either side has ended it. */
  onClose(action: () => void): void {
    if (this.#response.destroyed) action();
    else this.#onClose.push(action);
  }

  /** A message is shared by all readers: it is encoded once. */
  send(message: Buffer): void {
    if (this.isOpen) this.#response.write(message);
  }

  /** Ends it when whoever opened it may no longer: a key that was revoked reads nothing more. */
  judge(isAllowed: () => Promise<boolean>): void {
    const timer = setInterval(() => {
      void isAllowed().then((allowed) => (allowed ? undefined : this.end()));
    }, this.#judgeMs);
    timer.unref();
    this.onClose(() => clearInterval(timer));
  }

  get isCrowded(): boolean {
    return this.#response.writableLength > CROWDED_BYTES;
  }

  /** Resolves when there is room for more, or the connection is closed. All that share the connection wait together. */
  async room(): Promise<void> {
    if (!this.isOpen || !this.isCrowded) return;
    this.#room ??= this.#drained();
    await this.#room;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(stuck);
        this.#response.off("drain", done).off("close", done);
        this.#room = null;
        resolve();
      };
      const stuck = setTimeout(() => this.#response.destroy(), this.#stuckMs);
      this.#response.once("drain", done).once("close", done);
    });
  }

  end(): void {
    this.#response.end();
    setTimeout(() => this.#response.destroy(), LAST_WORDS_MS).unref();
  }
}

export function frame(parts: {
  readonly id?: string | number;
  readonly event?: string;
  readonly data: unknown;
}): Buffer {
  const id = parts.id === undefined ? "" : `id: ${parts.id}\n`;
  const event = parts.event === undefined ? "" : `event: ${parts.event}\n`;
  return Buffer.from(`${id}${event}data: ${JSON.stringify(parts.data)}\n\n`);
}
