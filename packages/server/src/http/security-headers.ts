import type { FastifyInstance } from "fastify";

/** Browsers load and run only files of this server, and no other site may embed its pages in a frame. */
export const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

export function addSecurityHeaders(server: FastifyInstance): void {
  server.addHook("onSend", (request, reply, payload, done) => {
    void reply.headers(SECURITY_HEADERS).header("x-request-id", request.id);
    done(null, payload);
  });
}
