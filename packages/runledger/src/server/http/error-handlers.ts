import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { InputError, type AuditEntry, type ErrorCode, type RunledgerError } from "@runledger/contracts";
import { auditEntry, pathOf } from "../access/audit-trail.js";
import { callerOf } from "../access/authorize.js";
import { isFollowed, REFUSED_LINK } from "../access/login-link.js";
import { nothingHere } from "../console/add-console.js";
import { routes } from "../routes/index.js";
import type { LogEntry } from "../server.js";
import type { Api } from "./api.js";
import { toKnown } from "./known-errors.js";
import { problemHeaders, toProblem } from "./problems.js";

const DENIED: ReadonlySet<ErrorCode> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "HOST_REFUSED", "ORIGIN_REFUSED"]);

export function addErrorHandlers(server: FastifyInstance, api: Api, log: (entry: LogEntry) => void): void {
  server.setErrorHandler((thrown, request, reply) => {
    const { error, isFault } = toKnown(thrown);
    if (isFault)
      log({ level: "error", message: `${request.method} ${pathOf(request)}`, requestId: request.id, error: thrown });
    if (DENIED.has(error.code)) api.audit.denied(deniedEntry(request, error));
    if (error.code === "UNAUTHENTICATED" && isFollowed(request))
      return void reply.code(303).headers({ location: REFUSED_LINK, "cache-control": "no-store" }).send();
    refuse(reply, request, error);
  });
  server.setNotFoundHandler((request, reply) => {
    if (nothingHere(request, reply) !== null) return;
    const path = pathOf(request);
    const allowed = methodsOf(path);
    if (allowed.length === 0)
      return refuse(reply, request, new InputError("ROUTE_NOT_FOUND", "path", "there is nothing here; see /api/docs."));
    void reply.header("allow", allowed.join(", "));
    refuse(reply, request, new InputError("METHOD_NOT_ALLOWED", "method", `must be ${allowed.join(" or ")} here.`));
  });
}

export function refuse(reply: FastifyReply, request: FastifyRequest, error: RunledgerError): void {
  const problem = toProblem(error, request.id);
  if (!request.raw.complete) void reply.header("connection", "close"); // the rest of it is not waited for
  void reply
    .code(problem.status)
    .headers({ ...problemHeaders(problem), "x-request-id": request.id })
    .send(Buffer.from(JSON.stringify(problem))); // as bytes, so that no charset is added
}

function deniedEntry(request: FastifyRequest, { code }: RunledgerError): AuditEntry {
  const action = String(request.routeOptions.config["operationId" as never] ?? "unknown");
  return auditEntry(request, { caller: callerOf(request), action, code });
}

const patterns = routes.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

function methodsOf(path: string): string[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}
