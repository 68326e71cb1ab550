/** Serves `/healthz` and `/metrics` of a worker. Plain node:http, because a worker must start fast. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { InputError, StopError } from "@runledger/contracts";
import { METRICS_TYPE, type Metrics } from "@runledger/runtime/telemetry/metrics";
import type { HealthConfig } from "../../config/define-config.js";

export interface WorkerHealth extends AsyncDisposable {
  readonly url: string;
}

/** It responds before the worker has reached its store, so that a supervisor does not restart a worker that waits. */
export async function serveHealth({ port, host = "127.0.0.1" }: HealthConfig, metrics: Metrics): Promise<WorkerHealth> {
  checkPort(port);
  const server = createServer((request, response) => void respond(request, response, metrics));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(host, port, error)));
    server.listen(port, host, resolve);
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`, [Symbol.asyncDispose]: close };
}

async function respond(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  metrics: Metrics,
): Promise<void> {
  const path = method === "GET" || method === "HEAD" ? url.split("?")[0] : null;
  if (path === "/healthz") send(response, 200, "application/json", `{"status":"alive"}`);
  else if (path === "/metrics") send(response, 200, METRICS_TYPE, await metrics.expose());
  else send(response, 404, "text/plain", "A worker serves GET /healthz and GET /metrics.\n");
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
}

function checkPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw new InputError("CONFIG_INVALID", "health.port", `${port} is not a port. Use a number from 0 to 65535.`);
}

function cannotListen(host: string, port: number, cause: Error): StopError {
  const remedy = "Choose others with --health-host and --health-port.";
  return new StopError("LISTEN_FAILED", `Cannot listen on ${host}, port ${port}: ${cause.message}. ${remedy}`, {
    cause,
  });
}
