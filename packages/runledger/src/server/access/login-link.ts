/** The address that the server has printed: from here on the token is in a cookie, and no longer in the address. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Api } from "../http/api.js";

export function addLoginLink(server: FastifyInstance, api: Api): void {
  server.addHook("onRequest", async (request, reply) => {
    const token = tokenOf(request);
    if (token === null) return;
    const { caller, grantTenant } = await api.identify.byCredential(token);
    const cookie = await api.identify.sessions.open(caller, grantTenant);
    await reply.code(303).headers({ "set-cookie": cookie, location: "/", "cache-control": "no-store" }).send();
  });
}

/** Where a browser goes whose token was refused: the console asks for another one, and says why. */
export const REFUSED_LINK = "/#token-refused";

/** A person has followed it: a problem as JSON would tell them nothing. */
export function isFollowed(request: FastifyRequest): boolean {
  return tokenOf(request) !== null && (request.headers.accept ?? "").includes("text/html");
}

/** Null = it is no such address. */
function tokenOf({ query, method, url }: FastifyRequest): string | null {
  const { token } = query as { readonly token?: unknown };
  return typeof token === "string" && method === "GET" && url.startsWith("/?") ? token : null;
}
