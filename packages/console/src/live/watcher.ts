/** One end of a port to the hub: gives each watch its own news. */
import type { FromHub, HubNews, Subject, ToHub } from "./protocol.js";

interface Watch {
  readonly subject: Subject;
  readonly listener: (news: HubNews) => void;
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

  /** Gives the way to stop. */
  watch(subject: Subject, listener: (news: HubNews) => void): () => void {
    const id = this.#nextId++;
    this.#watches.set(id, { subject, listener });
    if (!this.#isPaused) this.#say({ type: "watch", id, subject });
    return () => {
      this.#watches.delete(id);
      this.#say({ type: "leave", id });
    };
  }

  /** Nothing is told until it goes on. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    for (const id of this.#watches.keys()) this.#say({ type: "leave", id });
  }

  /** Everything is watched again, from where it was first watched: what is told twice is known. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const [id, { subject }] of this.#watches) this.#say({ type: "watch", id, subject });
  }

  #say(message: ToHub): void {
    void this.#port.then((port) => port.postMessage(message));
  }
}
