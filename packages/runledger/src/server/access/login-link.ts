/** The address that the server has printed: from here on the token is in a cookie, and no longer in the address. */
import type { FastifyInstance } from "fastify";
import type { Api } from "../http/api.js";

export function addLoginLink(server: FastifyInstance, api: Api): void {
  server.addHook("onRequest", async (request, reply) => {
    const { token } = request.query as { readonly token?: unknown };
    if (typeof token !== "string" || request.method !== "GET" || !request.url.startsWith("/?")) return;
    const { caller, grantTenant } = await api.identify.byCredential(token);
    const cookie = await api.identify.sessions.open(caller, grantTenant);
    await reply.code(303).headers({ "set-cookie": cookie, location: "/", "cache-control": "no-store" }).send();
  });
}
