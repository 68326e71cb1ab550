/**
 * A request that is not answered in time is told so. Fastify has such a limit, too, but makes a signal for each request and
 * aborts it behind each answer; nothing here listens to one, and it was a tenth of what a request costs.
 */
import type { FastifyInstance, FastifyReply } from "fastify";
import { RetryError } from "@runledger/contracts";

export function addTimeLimit(server: FastifyInstance, limitMs: number): void {
  server.addHook("onRequest", (_, reply, done) => {
    const watch = new Watch(reply, limitMs);
    reply.raw.once("close", () => watch.stop());
    done();
  });
}

class Watch {
  readonly #reply: FastifyReply;
  readonly #timer: NodeJS.Timeout;
  #written = 0;

  constructor(reply: FastifyReply, limitMs: number) {
    this.#reply = reply;
    this.#timer = setInterval(() => this.#look(), limitMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What has been handed over, as streams are, is somebody else's. */
  #look(): void {
    if (this.#reply.sent) this.stop();
    else if (this.#reply.raw.headersSent) this.#lookAtReader();
    else
      void this.#reply.send(
        new RetryError("REQUEST_TIMEOUT", "The request was not answered in time; send it again with the same id."),
      );
  }

  /** An answer that has begun takes as long as its reader needs, but not that of one who takes nothing. */
  #lookAtReader(): void {
    const { bytesWritten = 0 } = this.#reply.raw.socket ?? {};
    if (bytesWritten === this.#written) this.#reply.raw.destroy();
    this.#written = bytesWritten;
  }
}
