/** Endpoints for monitoring: `/healthz`, `/readyz` and `/metrics`. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { InputError, StopError } from "@runledger/contracts";
import { METRICS_TYPE, type Metrics } from "@runledger/runtime/telemetry/metrics";
import type { Api } from "../http/api.js";
import { recognize } from "../http/authorize.js";
import { unreadyParts } from "./readiness.js";

export function addProbes(server: FastifyInstance, api: Api): void {
  server.get("/healthz", async () => ({ status: "alive" }));
  server.get("/readyz", async (_, reply) => {
    const notReady = await unreadyParts(api.ledger);
    return reply.code(notReady.length === 0 ? 200 : 503).send({ ready: notReady.length === 0, notReady });
  });
  server.get("/metrics", { config: { operationId: "metrics" } }, async (request, reply) => {
    await assertAllTenants(api, request);
    const text = await collectedBy(api).expose();
    return reply.type(METRICS_TYPE).header("cache-control", "no-store").send(text);
  });
}

function collectedBy({ ledger: { metrics } }: Api): Metrics {
  if (metrics !== undefined) return metrics;
  const message = "This server collects no metrics. Pass `metrics: await openMetrics()` to connect().";
  throw new InputError("ROUTE_NOT_FOUND", "path", message);
}

/** Metrics sum up all tenants, so a caller for one tenant could learn about the others. */
async function assertAllTenants(api: Api, request: FastifyRequest): Promise<void> {
  const { allTenants, name, tenantId } = await recognize(api, request);
  if (allTenants) return;
  const message = `Metrics cover all tenants; ${name} may act only for ${tenantId}. Use a key for all tenants.`;
  throw new StopError("FORBIDDEN", message);
}
