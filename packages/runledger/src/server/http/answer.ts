/** One request through one route. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { callerOf, stillAllowed } from "../access/authorize.js";
import { nobody } from "../access/caller.js";
import type { Api } from "./api.js";
import type { Reply, Route } from "./define-route.js";
import { readPart } from "./read-request.js";
import { SECURITY_HEADERS } from "./security-headers.js";

export async function answer(route: Route, api: Api, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const caller = callerOf(request) ?? nobody;
  const call = {
    params: readPart("path", route.params, request.params),
    query: readPart("query", route.query, request.query),
    body: readPart("body", route.body, request.body),
    headers: request.headers,
    caller,
    requestId: request.id,
    store: api.ledger.store.forTenant(caller.tenantId),
    api,
  };
  const answered = await route.handle(call);
  if (!("stream" in answered)) return send(answered, reply);
  api.readers.checkRoom(caller.tenantId);
  reply.hijack();
  const connection = api.readers.accept(caller.tenantId, reply.raw, {
    ...SECURITY_HEADERS,
    "x-request-id": request.id,
  });
  connection.judge(() => stillAllowed(route, api, request));
  answered.stream(connection);
}

function send(answered: Exclude<Reply, { stream: unknown }>, reply: FastifyReply): void {
  const { status, headers = {} } = answered;
  const payload = "bytes" in answered ? Readable.from(answered.bytes) : answered.body;
  void reply
    .code(status)
    .headers({ "cache-control": "no-cache", ...headers })
    .send(payload);
}
