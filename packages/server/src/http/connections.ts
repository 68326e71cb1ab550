/** Tracks which connections have requests, so that a stopping server closes idle ones and waits for the rest. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export class Connections {
  /** Number of open requests per connection. Browsers open connections that never carry a request. */
  readonly #requests = new Map<Socket, number>();
  #stopping = false;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#requests.set(socket, 0);
      socket.once("close", () => this.#requests.delete(socket));
    });
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#add(socket, 1);
      response.once("close", () => this.#add(socket, -1));
    });
  }

  /** Closes idle connections now and each other one after its last response. */
  stop(): void {
    this.#stopping = true;
    for (const socket of this.#requests.keys()) this.#add(socket, 0);
  }

  #add(socket: Socket, delta: number): void {
    const open = (this.#requests.get(socket) ?? 0) + delta;
    this.#requests.set(socket, open);
    if (this.#stopping && open === 0) socket.destroySoon();
  }
}
