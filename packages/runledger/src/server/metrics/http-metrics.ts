/** What the server counts of itself. Routes are named by their operation: what callers send never becomes a label. */
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../metrics/metrics.js";

export function addHttpMetrics(server: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter("runledger_http_requests_total", "Requests, by operation and status.");
  const seconds = metrics.histogram("runledger_http_request_seconds", "From a request to its answer, by operation.");
  server.addHook("onResponse", (request, reply, done) => {
    const operation = String(request.routeOptions.config["operationId" as never] ?? "other");
    requests.add(1, { operation, status: String(reply.statusCode) });
    seconds.observe(reply.elapsedTime / 1000, { operation });
    done();
  });
}
