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

/** For bytes that a step wrote: a browser that opens them runs and loads nothing, and treats them as another origin. */
export const UNTRUSTED_CONTENT = { "content-security-policy": "default-src 'none'; sandbox" } as const;

export function addSecurityHeaders(server: FastifyInstance): void {
  server.addHook("onSend", (request, reply, payload, done) => {
    const own = reply.getHeader("content-security-policy") === undefined ? {} : UNTRUSTED_CONTENT;
    void reply.headers({ ...SECURITY_HEADERS, ...own }).header("x-request-id", request.id);
    done(null, payload);
  });
}
