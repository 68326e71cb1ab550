/** Counts requests. Labels use operation ids, never data that callers send. */
import type { FastifyInstance } from "fastify";
import { meterOf, secondsHistogram } from "@runledger/runtime/telemetry/instruments";
import type { Metrics } from "@runledger/runtime/telemetry/metrics";

export function addHttpMetrics(server: FastifyInstance, metrics: Metrics | undefined): void {
  const meter = meterOf(metrics);
  const description = "HTTP requests by operation and status.";
  const requests = meter.createCounter("runledger_http_requests_total", { description });
  const time = "Time from request to response by operation.";
  const seconds = secondsHistogram(meter, "runledger_http_request_seconds", time);
  server.addHook("onResponse", (request, reply, done) => {
    const operation = String(request.routeOptions.config["operationId" as never] ?? "other");
    requests.add(1, { operation, status: String(reply.statusCode) });
    seconds.record(reply.elapsedTime / 1000, { operation });
    done();
  });
}
