import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ALL_TENANTS, InputError, type AuditEntry, type RunledgerError } from "@runledger/contracts";
import { auditEntry, pathOf } from "../auth/audit-entry.js";
import { sendNotFoundPage } from "../console/add-console.js";
import type { Api } from "../http/api.js";
import { identityOf } from "../http/authorize.js";
import { classifyError } from "../http/classify-error.js";
import { isDenial } from "../http/denials.js";
import { isLoginLink, REFUSED_LINK } from "../http/login-link.js";
import { problemHeaders, toProblem } from "../http/problems.js";
import { quotaOf } from "../http/request-quota.js";
import type { LogEntry } from "./log-entry.js";
import { routes } from "./routes.js";

export function addErrorHandlers(server: FastifyInstance, api: Api, log: (entry: LogEntry) => void): void {
  server.setErrorHandler(async (thrown, request, reply) => {
    const { error, isFault, isHidden } = classifyError(thrown);
    const level = isFault ? "error" : "warn";
    if (isHidden) log({ level, message: `${request.method} ${pathOf(request)}`, requestId: request.id, error: thrown });
    if (isDenial(error.code)) api.audit.recordDenied(deniedEntry(request, error));
    if (error.code === "UNAUTHENTICATED" && isLoginLink(request))
      return reply.code(303).headers({ location: REFUSED_LINK, "cache-control": "no-store" }).send();
    const caller = quotaOf(request).caller;
    if (error.code === "RATE_LIMITED" && caller !== undefined) await api.slowRefusals.hold(caller);
    sendProblem(reply, request, error);
    return reply;
  });
  server.setNotFoundHandler((request, reply) => {
    if (sendNotFoundPage(request, reply) !== null) return;
    const path = pathOf(request);
    const allowed = methodsOf(path);
    if (allowed.length === 0)
      return sendProblem(reply, request, new InputError("ROUTE_NOT_FOUND", "path", "does not exist. See /api/docs."));
    void reply.header("allow", allowed.join(", "));
    const message = `must be ${allowed.join(" or ")} for this path.`;
    sendProblem(reply, request, new InputError("METHOD_NOT_ALLOWED", "method", message));
  });
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, error: RunledgerError): void {
  const problem = toProblem(error, request.id);
  if (!request.raw.complete) void reply.header("connection", "close"); // the server does not read the rest of the body
  void reply
    .code(problem.status)
    .headers({ ...problemHeaders(problem), "x-request-id": request.id })
    .send(Buffer.from(JSON.stringify(problem))); // bytes, because Fastify adds a charset to strings
}

function deniedEntry(request: FastifyRequest, { code }: RunledgerError): AuditEntry {
  const action = String(request.routeOptions.config["operationId" as never] ?? "unknown");
  const identity = identityOf(request);
  const tenantId = identity === undefined || identity.tenantId === ALL_TENANTS ? null : identity.tenantId;
  return auditEntry(request, { identity, tenantId, action, outcome: "denied", code });
}

const patterns = routes.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

function methodsOf(path: string): string[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}
