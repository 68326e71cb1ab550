/** Fastify, set up so that every answer is ours: limits, request ids, problems, routes. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import fastify, { type FastifyInstance } from "fastify";
import { RetryError } from "@runledger/contracts";
import { packageVersion } from "../../config/package-version.js";
import { authorize } from "../access/authorize.js";
import { addLoginLink } from "../access/login-link.js";
import { addOriginCheck } from "../access/same-origin.js";
import { addConsole } from "../console/add-console.js";
import { addDocs } from "../docs/add-docs.js";
import { routes } from "../routes/index.js";
import type { LogEntry } from "../server.js";
import { answer } from "./answer.js";
import type { Api } from "./api.js";
import { answerBrokenRequest } from "./broken-requests.js";
import { addErrorHandlers, refuse } from "./error-handlers.js";
import { toKnown } from "./known-errors.js";
import { addOperations } from "./operations.js";
import { addHttpMetrics } from "../metrics/http-metrics.js";
import { addSecurityHeaders } from "./security-headers.js";
import { addTimeLimit } from "./time-limit.js";

/** A request must arrive within this time, and be answered within this time. Streams are answered when they begin. */
export const TIME_LIMIT_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 64 * 1024;
/** An identifier of 255 characters, each of them percent-encoded. */
const MAX_PARAM_LENGTH = 255 * 12;

export interface Surroundings {
  /** Names by which the server may be called; undefined = any. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly log: (entry: LogEntry) => void;
  readonly timeLimitMs: number;
}

export async function makeFastify(api: Api, { hosts, log, timeLimitMs }: Surroundings): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    genReqId: requestId,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: timeLimitMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    http: { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: Math.min(timeLimitMs, 5000) },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => refuse(reply, request, toKnown(error).error),
  });
  server.removeContentTypeParser("text/plain"); // a form of another origin can send it
  addErrorHandlers(server, api, log);
  addTimeLimit(server, timeLimitMs);
  addStopping(server);
  addOriginCheck(server, hosts);
  addLoginLink(server, api);
  addSecurityHeaders(server);
  addHttpMetrics(server, api.ledger.metrics);
  addOperations(server, api);
  addDocs(server, packageVersion());
  addConsole(server);
  for (const route of routes) {
    server.route({
      method: route.method,
      url: `/api/v1${route.path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      ...(route.maxBodyBytes === undefined ? {} : { bodyLimit: route.maxBodyBytes }),
      config: { operationId: route.operationId },
      exposeHeadRoute: route.answers[200]?.mediaType !== "text/event-stream", // it would not end
      onRequest: (request) => authorize(route, api, request),
      handler: (request, reply) => answer(route, api, request, reply).then(() => reply),
    });
  }
  await server.ready();
  return server;
}

/** A caller's own id is kept where it is harmless in a log. */
function requestId(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

/** Connections that are kept alive may still bring requests while the server closes. */
function addStopping(server: FastifyInstance): void {
  let stopping = false;
  server.addHook("preClose", async () => {
    stopping = true;
  });
  server.addHook("onRequest", (_, reply, done) => {
    if (!stopping) return done();
    void reply.header("connection", "close");
    done(new RetryError("SERVER_STOPPING", "The server is being stopped; send the request again."));
  });
}
