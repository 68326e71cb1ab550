/** The client side of the hub. It routes updates to their watches. */
import type { FromHub, HubUpdate, Subject, ToHub } from "./protocol.js";

interface Watch {
  readonly subject: Subject;
  readonly listener: (update: HubUpdate) => void;
}

export class Watcher {
  readonly #port: Promise<MessagePort>;
  readonly #watches = new Map<number, Watch>();
  #nextId = 1;
  #isPaused = false;

  constructor(port: Promise<MessagePort>) {
    this.#port = port;
    void port.then((own) => {
      own.onmessage = ({ data }: MessageEvent<FromHub>) => this.#watches.get(data.id)?.listener(data);
    });
  }

  /** Returns a function that stops the watch. */
  watch(subject: Subject, listener: (update: HubUpdate) => void): () => void {
    const id = this.#nextId++;
    this.#watches.set(id, { subject, listener });
    if (!this.#isPaused) this.#send({ type: "watch", id, subject });
    return () => {
      this.#watches.delete(id);
      this.#send({ type: "leave", id });
    };
  }

  /** Stops all updates until `resume`. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    for (const id of this.#watches.keys()) this.#send({ type: "leave", id });
  }

  /** Watches everything again from its first position. Listeners ignore updates that they already have. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const [id, { subject }] of this.#watches) this.#send({ type: "watch", id, subject });
  }

  #send(message: ToHub): void {
    void this.#port.then((port) => port.postMessage(message));
  }
}
