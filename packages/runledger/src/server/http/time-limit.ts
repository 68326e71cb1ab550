/**
 * A request that is not answered in time is told so. Fastify has such a limit, too, but makes a signal for each request and
 * aborts it behind each answer; nothing here listens to one, and it was a tenth of what a request costs.
 */
import type { FastifyInstance, FastifyReply } from "fastify";
import { RetryError } from "@runledger/contracts";

export function addTimeLimit(server: FastifyInstance, limitMs: number): void {
  server.addHook("onRequest", (_, reply, done) => {
    const timer = setTimeout(giveUp, limitMs, reply);
    reply.raw.once("close", () => clearTimeout(timer));
    done();
  });
}

/** What has been handed over, as streams are, is somebody else's; an answer that has begun can only be cut off. */
function giveUp(reply: FastifyReply): void {
  if (reply.sent) return;
  if (reply.raw.headersSent) return void reply.raw.destroy();
  void reply.send(
    new RetryError("REQUEST_TIMEOUT", "The request was not answered in time; send it again with the same id."),
  );
}
