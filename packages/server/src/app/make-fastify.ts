/** Configures Fastify: limits, request ids, problems and routes. Fastify sends no response in its own format. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import fastify, { type FastifyInstance } from "fastify";
import { omitUndefined, RetryError } from "@runledger/contracts";
import { packageVersion } from "@runledger/runtime/config/package-version";
import { addOriginCheck } from "../auth/same-origin.js";
import { addConsole } from "../console/add-console.js";
import { addDocs } from "../docs/add-docs.js";
import { addProbes } from "../health/probes.js";
import type { Api } from "../http/api.js";
import { authorize } from "../http/authorize.js";
import { classifyError } from "../http/classify-error.js";
import type { Route } from "../http/define-route.js";
import { handleRequest } from "../http/handle-request.js";
import { addLoginLink } from "../http/login-link.js";
import { refuseMalformedRequest } from "../http/malformed-requests.js";
import { addQuotas } from "../http/request-quota.js";
import { addResponseTimeout } from "../http/response-timeout.js";
import { addSecurityHeaders } from "../http/security-headers.js";
import { addHttpMetrics } from "../metrics/http-metrics.js";
import { addSystemGauges } from "../metrics/system-gauges.js";
import { addErrorHandlers, sendProblem } from "./error-handlers.js";
import type { LogEntry } from "./log-entry.js";
import { apiDocument } from "./api-document.js";
import { routes } from "./routes.js";

/** Limit for a request to arrive, and then for its response. A stream must only start within it. */
export const TIME_LIMIT_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 64 * 1024;
/** Fits an identifier of 255 characters, each of them percent-encoded. */
const MAX_PARAM_LENGTH = 255 * 12;

export interface FastifySettings {
  /** Host names that the server accepts; `undefined` if it accepts any. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly log: (entry: LogEntry) => void;
  readonly timeLimitMs: number;
  /** Addresses of proxies whose headers name the caller's address. */
  readonly trustProxy: readonly string[] | undefined;
}

export async function makeFastify(
  api: Api,
  { hosts, log, timeLimitMs, trustProxy }: FastifySettings,
): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    trustProxy: trustProxy === undefined ? false : [...trustProxy],
    genReqId: requestId,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: timeLimitMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    http: { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: Math.min(timeLimitMs, 5000) },
    clientErrorHandler: refuseMalformedRequest,
    frameworkErrors: (error, request, reply) => sendProblem(reply, request, classifyError(error).error),
  });
  server.removeContentTypeParser("text/plain"); // a form of another origin can send it
  addErrorHandlers(server, api, log);
  addResponseTimeout(server, timeLimitMs);
  refuseWhileStopping(server);
  addOriginCheck(server, hosts);
  addQuotas(server, api.quotas);
  addLoginLink(server, api);
  addSecurityHeaders(server);
  addHttpMetrics(server, api.ledger.metrics);
  addSystemGauges(server, api);
  addProbes(server, api);
  addDocs(server, apiDocument(packageVersion()));
  addConsole(server);
  for (const route of routes.filter(({ hasRawBody = false }) => !hasRawBody)) addRoute(server, api, route);
  await server.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
    for (const route of routes.filter(({ hasRawBody = false }) => hasRawBody)) addRoute(raw, api, route);
  });
  await server.ready();
  return server;
}

function addRoute(server: FastifyInstance, api: Api, route: Route): void {
  server.route({
    method: route.method,
    url: `/api/v1${route.path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    ...omitUndefined({ bodyLimit: route.maxBodyBytes }),
    config: { operationId: route.operationId },
    exposeHeadRoute: route.responses[200]?.mediaType !== "text/event-stream", // HEAD of a stream would never finish
    onRequest: (request) => authorize(route, api, request),
    handler: (request, reply) => handleRequest(route, api, request, reply).then(() => reply),
  });
}

/** Keeps the caller's request id if it is safe to log. */
function requestId(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

/** Keep-alive connections may still deliver requests while the server closes. */
function refuseWhileStopping(server: FastifyInstance): void {
  let stopping = false;
  server.addHook("preClose", async () => {
    stopping = true;
  });
  server.addHook("onRequest", (_, reply, done) => {
    if (!stopping) return done();
    void reply.header("connection", "close");
    done(new RetryError("SERVER_STOPPING", "The server is shutting down. Send the request again."));
  });
}
