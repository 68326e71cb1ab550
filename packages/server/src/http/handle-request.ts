/** Passes one request to the handler of its route and sends the reply. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ALL_TENANTS, type AuditEntry } from "@runledger/contracts";
import { auditEntry } from "../auth/audit-entry.js";
import { ANONYMOUS, seesPayloads, type Identity } from "../auth/caller.js";
import type { CallerQuota } from "../quotas/caller-quota.js";
import type { Api } from "./api.js";
import { callerOf, isStillAllowed } from "./authorize.js";
import { classifyError } from "./classify-error.js";
import { isDenial } from "./denials.js";
import type { Reply, Route } from "./define-route.js";
import { parsePart } from "./parse-request.js";
import { paced, quotaOf } from "./request-quota.js";
import { SECURITY_HEADERS } from "./security-headers.js";

export async function handleRequest(
  route: Route,
  services: Api,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const caller = callerOf(request) ?? ANONYMOUS;
  const api = seesPayloads(caller) ? services : (services.concealed ?? services);
  const quota = quotaOf(request);
  const call = {
    params: parsePart("path", route.params, request.params),
    query: parsePart("query", route.query, request.query),
    body: route.hasRawBody === true ? undefined : parsePart("body", route.body, request.body),
    rawBody: Buffer.isBuffer(request.body) ? request.body : EMPTY,
    headers: request.headers,
    caller,
    requestId: request.id,
    store: api.ledger.store.forTenant(caller.tenantId),
    api,
    quota,
    recordFor: (identity: Identity) => api.audit.record(entryOf(route, request, identity)),
  };
  api.readQueue.noteRequest(caller.tenantId);
  const handle = () => (route.audited === true ? audited(route, api, request, call) : route.handle(call));
  if (isStream(route)) return stream(route, call, { request, reply, handle });
  const result = await (route.isLargeRead === true ? api.readQueue.take(caller.tenantId, handle) : handle());
  if (!("stream" in result)) send(result, reply, quota);
}

const EMPTY = Buffer.alloc(0);

type RouteCall = Parameters<Route["handle"]>[0];

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly handle: () => Promise<Reply>;
}

/** Counts the stream before the handler reads anything, so that a refused stream costs little. */
async function stream(route: Route, call: RouteCall, { request, reply, handle }: Exchange): Promise<void> {
  const { api, caller, quota } = call;
  api.openStreams.assertCapacity(caller.tenantId);
  const stopCounting = quota.openStream();
  try {
    const result = await api.readQueue.take(caller.tenantId, handle); // the streams of a tenant open in turn
    api.openStreams.assertCapacity(caller.tenantId); // other streams were opened meanwhile
    reply.hijack();
    const headers = { ...SECURITY_HEADERS, "x-request-id": request.id };
    const connection = api.openStreams.open(caller, reply.raw, { headers, quota });
    connection.onClose(stopCounting);
    connection.closeUnless(() => isStillAllowed(route, api, request));
    if ("stream" in result) result.stream(connection);
  } catch (error) {
    stopCounting();
    throw error;
  }
}

function isStream({ responses }: Route): boolean {
  return responses[200]?.mediaType === "text/event-stream";
}

/** A call that cannot be recorded does not run. A call that fails is recorded once more. */
async function audited(route: Route, api: Api, request: FastifyRequest, call: RouteCall): Promise<Reply> {
  const entry = entryOf(route, request, call.caller);
  await api.audit.record(entry);
  try {
    return await route.handle(call);
  } catch (thrown) {
    const { error } = classifyError(thrown);
    if (!isDenial(error.code))
      await api.audit.record({ ...entry, outcome: "failed", code: error.code }).catch(api.onError);
    throw thrown;
  }
}

function entryOf({ operationId: action }: Route, request: FastifyRequest, identity: Identity): AuditEntry {
  const tenantId = identity.tenantId === ALL_TENANTS ? null : identity.tenantId;
  return auditEntry(request, { identity, tenantId, action, outcome: "allowed" });
}

function send(result: Exclude<Reply, { stream: unknown }>, reply: FastifyReply, quota: CallerQuota): void {
  const { status, headers = {} } = result;
  const payload = "bytes" in result ? Readable.from(paced(result.bytes, quota)) : result.body;
  void reply
    .code(status)
    .headers({ "cache-control": "no-store", ...headers })
    .send(payload);
}
