/** What those who run the server look at. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { StopError } from "@runledger/contracts";
import { notReady } from "../health/not-ready.js";
import { METRICS_TYPE } from "../metrics/render.js";
import { readMetrics } from "../metrics/read-metrics.js";
import type { Api } from "./api.js";

export function addOperations(server: FastifyInstance, api: Api): void {
  server.get("/healthz", async () => ({ status: "alive" }));
  server.get("/readyz", async (_, reply) => {
    const missing = await notReady(api.ledger);
    return reply.code(missing.length === 0 ? 200 : 503).send({ ready: missing.length === 0, notReady: missing });
  });
  server.get("/metrics", { config: { operationId: "metrics" } }, async (request, reply) => {
    await refuseTenants(api, request);
    return reply
      .type(METRICS_TYPE)
      .header("cache-control", "no-store")
      .send(await readMetrics(api));
  });
}

/** Counts are those of all tenants together: nobody learns from them what another one does. */
async function refuseTenants(api: Api, request: FastifyRequest): Promise<void> {
  const { allTenants, name, tenantId } = await api.identify.caller(request);
  if (allTenants) return;
  const message = `${name} acts for tenant ${tenantId}; metrics are of all. Use a key that is good for all tenants.`;
  throw new StopError("FORBIDDEN", message);
}
