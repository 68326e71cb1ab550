/** What those who run the server look at. */
import type { FastifyInstance } from "fastify";
import type { Api } from "./api.js";

export function addOperations(server: FastifyInstance, api: Api): void {
  server.get("/healthz", async () => ({ status: "alive" }));
  server.get("/readyz", async (_, reply) => {
    const notReady = await whatIsNotReady(api);
    return reply.code(notReady.length === 0 ? 200 : 503).send({ ready: notReady.length === 0, notReady });
  });
}

async function whatIsNotReady({ ledger }: Api): Promise<{ readonly part: string; readonly reason: string }[]> {
  try {
    await ledger.store.fetchHeads([]);
    await ledger.store.listHeads({ limit: 1 });
    return [];
  } catch {
    return [{ part: "store", reason: "the store does not answer" }];
  }
}
