/** Counts requests and the bytes of their responses. Probes are not counted: an orchestrator sends them. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Caller } from "../auth/caller.js";
import { CallerQuota } from "../quotas/caller-quota.js";
import type { Quotas } from "../quotas/quotas.js";

const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);
const UNLIMITED = new CallerQuota([]);

const quotas = new WeakMap<FastifyRequest, CallerQuota>();

export function addQuotas(server: FastifyInstance, all: Quotas): void {
  server.addHook("onRequest", (request, _, done) => {
    if (PROBES.has(request.url)) return done();
    const quota = all.ofAddress(request);
    quota.countRequest();
    quotas.set(request, quota);
    done();
  });
  server.addHook("onSend", (request, _, payload, done) => {
    if (typeof payload === "string" || Buffer.isBuffer(payload)) quotaOf(request).spend("bytes", payload.length);
    done();
  });
}

/** Counts the request for its caller. Throws RATE_LIMITED. */
export function countFor(caller: Caller, all: Quotas, request: FastifyRequest): void {
  const own = all.ofCaller(caller);
  quotas.set(request, own.and(quotaOf(request))); // a refused request has a caller, too
  own.countRequest();
}

export function quotaOf(request: FastifyRequest): CallerQuota {
  return quotas.get(request) ?? UNLIMITED;
}

/** Sends the bytes of a download as fast as the quota allows. */
export async function* paced(bytes: AsyncIterable<Uint8Array>, quota: CallerQuota): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    quota.spend("bytes", part.length);
    yield part;
    for (let ms = quota.paceMs(); ms > 0; ms = quota.paceMs()) await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
