/** One end of a port to the hub: gives each watch its own news. */
import type { FromHub, HubNews, Subject, ToHub } from "./protocol.js";

export class Watcher {
  readonly #port: MessagePort;
  readonly #listeners = new Map<number, (news: HubNews) => void>();
  #nextId = 1;

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<FromHub>) => this.#listeners.get(data.id)?.(data);
  }

  /** Gives the way to stop. */
  watch(subject: Subject, listener: (news: HubNews) => void): () => void {
    const id = this.#nextId++;
    this.#listeners.set(id, listener);
    this.#say({ type: "watch", id, subject });
    return () => {
      this.#listeners.delete(id);
      this.#say({ type: "leave", id });
    };
  }

  #say(message: ToHub): void {
    this.#port.postMessage(message);
  }
}
