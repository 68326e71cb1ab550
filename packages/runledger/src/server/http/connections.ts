/** Which connections are in use, so that a server that stops waits for these and for no others. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export class Connections {
  /** How many requests each has under way. Browsers open some that never have one. */
  readonly #busy = new Map<Socket, number>();
  #stopping = false;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#busy.set(socket, 0);
      socket.once("close", () => this.#busy.delete(socket));
    });
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#change(socket, 1);
      response.once("close", () => this.#change(socket, -1));
    });
  }

  /** Closes what is idle, and the rest when it has been answered. */
  stop(): void {
    this.#stopping = true;
    for (const socket of this.#busy.keys()) this.#change(socket, 0);
  }

  #change(socket: Socket, by: number): void {
    const busy = (this.#busy.get(socket) ?? 0) + by;
    this.#busy.set(socket, busy);
    if (this.#stopping && busy === 0) socket.destroySoon();
  }
}
